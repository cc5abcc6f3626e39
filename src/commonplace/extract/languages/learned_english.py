"""Weights of features by category, in tenths (english); written by bench/weights.py."""

from __future__ import annotations

WEIGHTS: dict[str, dict[str, str]] = {
    "": {
        "fact": """
about=name:-3 about=none:6 about=speaker:1 bias:2 digit:3 exact:-4 filed=decision:-2 filed=event:-2 filed=fact:10
filed=lesson:-2 filed=person:-1 filed=preference:-2 fits=attribute/fact:12 fits=attribute/person:-3
fits=attribute/procedure:-1 fits=decision/decision:-2 fits=event/event:-2 fits=preference/preference:-2
fits=remember/:7 has=did:-2 has=pet:3 has=tech:-3 has=when:-2 length=0:2 length=1:2 length=3:-3 opens=note:5
opens=place:2 opens=rule:-2 opens=self:8 opens=steps:-1 opens=us:4 read=attribute/fact:9 read=attribute/person:-2
read=decision/decision:-2 read=event/event:-2 read=preference/preference:-2 read=remember:7 side=buy:2 side=deadline:2
side=decision:-2 side=diet:2 side=get:4 side=has:2 side=lives_in:2 side=occupation:2 sign=amend:-1 sign=being:5
sign=choice:-2 sign=choice+amend:2 sign=choice+future:-2 sign=choice+habit:2 sign=choice+other:2 sign=choice+passing:2
sign=choice+us:-2 sign=fail:-2 sign=fail+place:2 sign=fix:-3 sign=future+amend:-2 sign=future+habit:2
sign=future+other:-1 sign=future+past:1 sign=future+steps:2 sign=habit:5 sign=kin:-3 sign=kin+self:-3 sign=kin+us:2
sign=life+place:-2 sign=life+self:-2 sign=note:4 sign=opinion:-2 sign=opinion+self:-2 sign=other:-3 sign=other+place:-2
sign=passing:-2 sign=past:-2 sign=past+amend:-1 sign=past+place:2 sign=place:13 sign=place+habit:2 sign=place+note:2
sign=project:-4 sign=rule:-2 sign=rule+note:2 sign=rule+place:1 sign=rule+steps:-2 sign=self:3 sign=self+being:5
sign=self+place:-4 sign=self+tech:-2 sign=self+vain:-1 sign=steps+amend:-2 sign=steps+place:-2 sign=taste:-3
sign=taste+passing:1 sign=tech:-4 sign=tech+habit:2 sign=us:4 sign=us+note:2 sign=us+steps:-2 sign=vain:-3
signs=amend:3 signs=being:2 signs=future:-2 signs=past:-2 signs=place:10 signs=steps:-3 unread:-2
        """,
        "preference": """
about=name:-2 about=none:2 bias:2 digit:-6 exact:-2 filed=event:-3 filed=fact:-2 filed=person:-2 filed=plan:-2
filed=preference:14 fits=attribute/fact:-2 fits=attribute/person:-3 fits=attribute/procedure:-2
fits=opinion/preference:7 fits=preference/preference:8 has=pet:2 has=rel:-5 has=tech:-5 has=when:-8 length=2:2
length=3:-2 named:2 opens=future:-2 opens=habit:-2 opens=kin:-1 opens=past:-2 opens=place:1 opens=rule:3 opens=self:-5
opens=steps:2 opens=taste:3 opens=us:-3 read=attribute/fact:-2 read=attribute/person:-1 read=commitment/plan:-1
read=event/event:-3 read=opinion/preference:5 read=preference/preference:9 side=allergy:2 side=diet:-2 side=dislikes:2
side=likes:4 side=thinks:4 sign=amend:2 sign=being+passing:2 sign=choice:-4 sign=choice+future:2 sign=choice+self:-1
sign=choice+steps:-2 sign=fail:-2 sign=future+life:-2 sign=habit:5 sign=habit+passing:-3 sign=kin:-4 sign=kin+self:-2
sign=note:-2 sign=opinion:11 sign=opinion+fix:2 sign=opinion+passing:2 sign=opinion+past:4 sign=opinion+place:4
sign=opinion+self:4 sign=other:-3 sign=past:-7 sign=past+habit:-1 sign=past+self:-3 sign=place:-1 sign=place+amend:-1
sign=project:-2 sign=project+steps:-1 sign=rule:9 sign=rule+amend:3 sign=rule+fix:1 sign=rule+habit:2 sign=rule+note:-2
sign=rule+other:-3 sign=rule+past:-4 sign=rule+place:-3 sign=rule+self:4 sign=rule+steps:1 sign=rule+us:-2 sign=self:12
sign=self+amend:5 sign=self+being:2 sign=self+habit:2 sign=self+place:2 sign=self+steps:2 sign=self+tech:-1
sign=self+us:-2 sign=self+vain:2 sign=steps+amend:-1 sign=steps+habit:2 sign=taste:8 sign=taste+amend:2
sign=taste+being:1 sign=taste+future:1 sign=taste+kin:-2 sign=taste+past:1 sign=taste+rule:2 sign=taste+self:5
sign=tech:-4 sign=tech+steps:-1 sign=us:-4 sign=us+amend:-2 sign=us+project:2 signs=amend:-2 signs=choice:2
signs=opinion:1 signs=project:2 signs=rule:5 signs=taste:2
        """,
        "decision": """
about=name:-2 about=none:3 bias:-3 digit:-4 filed=decision:9 filed=event:-3 filed=fact:2 filed=person:-1 filed=plan:-2
filed=preference:-2 fits=attribute/fact:2 fits=attribute/procedure:-1 fits=commitment/plan:-3 fits=decision/decision:9
fits=preference/preference:-2 fits=remember/:-2 has=did:2 has=pet:-2 has=tech:2 has=when:-3 length=0:-2 length=3:2
named:-2 opens=amend:2 opens=choice:3 opens=fail:2 opens=future:2 opens=life:2 opens=other:2 opens=rule:-1 opens=self:1
opens=steps:2 opens=us:2 read=attribute/fact:1 read=commitment/plan:-1 read=decision/decision:9 read=event/event:-3
read=preference/preference:-2 read=remember:-2 side=decision:9 side=employer:2 sign=amend:2 sign=amend+passing:-2
sign=being+amend:-1 sign=being+steps:-2 sign=choice:15 sign=choice+amend:5 sign=choice+kin:4 sign=choice+past:6
sign=choice+place:2 sign=choice+project:2 sign=choice+self:6 sign=choice+steps:2 sign=choice+tech:3 sign=choice+us:3
sign=fix:-2 sign=future+being:1 sign=future+life:3 sign=future+other:2 sign=future+past:-1 sign=future+steps:-2
sign=future+tech:2 sign=future+us:2 sign=habit:-3 sign=kin+steps:3 sign=life:4 sign=life+fail:3 sign=life+past:2
sign=life+place:2 sign=life+us:-2 sign=life+vain:2 sign=opinion:2 sign=opinion+choice:1 sign=opinion+kin:2
sign=opinion+steps:2 sign=past+being:2 sign=past+self:4 sign=past+tech:-2 sign=past+us:-1 sign=place:-3
sign=rule+amend:2 sign=rule+choice:2 sign=self+amend:-1 sign=self+place:-2 sign=self+steps:-1 sign=taste+us:2
sign=tech:2 sign=tech+passing:3 sign=tech+steps:2 sign=us:6 sign=us+amend:6 sign=us+being:1 sign=us+place:1
sign=us+tech:3 sign=vain:-2 sign=vain+amend:-2 signs=amend:2 signs=choice:2
        """,
        "event": """
about=name:2 about=none:-2 about=thing:-2 bias:-5 digit:-5 exact:-2 filed=event:10 filed=fact:-3 filed=lesson:-2
filed=preference:-1 filed=tool:-2 fits=attribute/fact:-3 fits=attribute/person:3 fits=attribute/tool:-1
fits=event/event:7 fits=remember/:-3 has=did:2 has=pet:4 has=rel:3 has=tech:-3 has=when:7 length=2:-3 length=3:-2
named:8 opens=kin:2 opens=life:2 opens=other:2 opens=past:6 opens=place:5 opens=self:4 opens=steps:2 opens=us:3
read=attribute/fact:-2 read=attribute/tool:-1 read=event/event:10 read=remember:-3 side=:3 side=buy:-2 side=deadline:4
side=event:6 side=get:-2 side=have:-2 side=plan:-2 side=start:2 sign=amend:-5 sign=amend+passing:-1 sign=choice+being:2
sign=choice+self:2 sign=fail:-1 sign=fix:-2 sign=future+amend:2 sign=future+kin:4 sign=future+life:3 sign=habit:-3
sign=kin:3 sign=kin+amend:-2 sign=kin+other:4 sign=kin+self:6 sign=kin+steps:-1 sign=kin+us:-2 sign=life:11
sign=life+amend:2 sign=life+being:4 sign=life+kin:4 sign=life+other:5 sign=life+past:3 sign=life+self:3 sign=life+us:4
sign=opinion:-3 sign=opinion+past:-1 sign=other:3 sign=other+fail:1 sign=other+self:3 sign=past:9 sign=past+amend:-2
sign=past+kin:3 sign=past+other:2 sign=past+place:4 sign=past+us:4 sign=past+vain:-2 sign=project:-3 sign=rule:-4
sign=rule+habit:-1 sign=self:2 sign=self+passing:-2 sign=self+steps:2 sign=steps:-3 sign=taste:-1 sign=tech:-2
sign=us:5 sign=us+place:2 sign=vain:-2 signs=kin:3 signs=life:2 signs=past:6 signs=self:2 unread:-3
        """,
        "lesson": """
about=name:4 about=thing:-2 bias:3 exact:4 filed=event:-2 filed=fact:-2 filed=lesson:11 filed=plan:-2 filed=project:-2
fits=attribute/fact:-2 fits=attribute/project:-2 fits=commitment/plan:-2 fits=correction/:-3 fits=dead_end/lesson:6
fits=error_fix/lesson:4 has=did:-2 has=pet:-2 has=rel:-5 has=tech:2 has=when:-4 length=0:-3 length=1:-6 length=2:3
length=3:9 opens=amend:-3 opens=choice:2 opens=fix:3 opens=future:-3 opens=past:2 opens=place:-2 opens=us:-2
read=attribute/person:2 read=attribute/project:-1 read=commitment/plan:-2 read=dead_end/lesson:5
read=error_fix/lesson:7 read=event/event:-2 side=:2 side=fixed_by:4 side=result:5 side=takes:2 sign=amend:-2
sign=amend+habit:1 sign=being:-2 sign=being+amend:1 sign=being+place:-2 sign=being+steps:2 sign=being+tech:-2
sign=choice+passing:2 sign=choice+vain:1 sign=fail:5 sign=fail+fix:2 sign=fix:12 sign=future:-3 sign=future+being:-1
sign=future+past:1 sign=future+place:2 sign=future+self:2 sign=future+steps:2 sign=kin:-4 sign=kin+self:-2 sign=life:-3
sign=opinion:-2 sign=opinion+self:-1 sign=other+place:-2 sign=other+self:-1 sign=past:6 sign=past+fail:3
sign=past+fix:4 sign=past+self:-2 sign=past+steps:3 sign=past+tech:2 sign=past+vain:4 sign=project:-4 sign=rule+amend:1
sign=rule+fail:1 sign=rule+future:-2 sign=rule+life:1 sign=rule+past:2 sign=rule+place:2 sign=rule+self:-3 sign=self:-5
sign=self+being:-2 sign=self+fix:1 sign=self+tech:2 sign=self+vain:3 sign=steps+amend:4 sign=taste:-2 sign=tech:3
sign=tech+amend:2 sign=tech+fix:1 sign=tech+passing:-2 sign=tech+vain:2 sign=us:-4 sign=us+passing:2 sign=us+place:-2
sign=vain:11 sign=vain+amend:2 sign=vain+steps:2 signs=fix:5 signs=past:-2 signs=place:-2 signs=rule:-2 signs=steps:-2
signs=vain:3 unread:2
        """,
        "tool": """
about=name:-3 about=none:-3 about=thing:5 bias:-5 digit:8 exact:11 filed=lesson:-2 filed=person:-2 filed=tool:7
fits=attribute/tool:9 fits=correction/:2 has=rel:-3 has=tech:10 length=0:-2 length=2:-2 named:-6 opens=place:-2
opens=rule:1 opens=tech:8 read=attribute/tool:4 read=correction/tool:3 side=:3 side=path:2 side=port:2 side=takes:-2
sign=amend:2 sign=being:-2 sign=being+passing:-2 sign=fail:-2 sign=fix:-2 sign=future:2 sign=future+place:-2
sign=future+project:2 sign=kin:-2 sign=life:-2 sign=note:1 sign=opinion:-2 sign=past+amend:3 sign=past+passing:1
sign=past+tech:3 sign=place:-7 sign=project:-2 sign=rule:1 sign=rule+amend:2 sign=rule+future:2 sign=rule+past:2
sign=rule+self:1 sign=self:-2 sign=self+amend:2 sign=tech:9 sign=tech+habit:-1 sign=tech+note:2 sign=tech+place:-2
sign=tech+project:-2 sign=tech+steps:-3 sign=vain:-2 signs=steps:-2 signs=tech:5 unread:-4
        """,
        "person": """
about=name:5 about=none:-2 about=speaker:2 about=thing:-1 bias:2 filed=lesson:-2 filed=person:10 filed=preference:-2
filed=tool:-2 fits=attribute/fact:-4 fits=attribute/person:10 fits=attribute/tool:-2 fits=correction/:2
fits=event/event:-2 fits=preference/preference:-1 fits=remember/:4 has=rel:15 has=tech:-4 has=when:-2 length=1:3
length=3:-2 named:5 opens=amend:-2 opens=place:-2 opens=self:-3 read=attribute/person:6 read=attribute/tool:-1
read=correction/person:2 read=preference/person:2 read=preference/preference:-1 read=remember:4 side=birthday:1
side=dislikes:2 side=event:-2 side=phone:2 sign=being:4 sign=being+amend:2 sign=being+place:1 sign=choice:-4
sign=choice+kin:-1 sign=choice+self:-2 sign=fail:-2 sign=fix+place:1 sign=future:-6 sign=future+kin:-3
sign=future+life:-2 sign=future+other:2 sign=future+past:-2 sign=future+place:2 sign=future+self:-5 sign=kin:9
sign=kin+amend:5 sign=kin+fail:1 sign=kin+note:2 sign=kin+self:5 sign=kin+vain:1 sign=life+other:-2 sign=opinion+rule:2
sign=other:10 sign=other+habit:2 sign=other+place:2 sign=other+steps:2 sign=other+us:2 sign=passing:-2
sign=past+being:2 sign=past+kin:-3 sign=past+place:-3 sign=past+self:3 sign=past+steps:-1 sign=past+us:3
sign=project:-4 sign=rule+note:1 sign=rule+other:2 sign=rule+past:-2 sign=rule+place:-3 sign=rule+self:-2 sign=self:7
sign=self+place:5 sign=self+steps:-2 sign=self+us:-2 sign=steps:-5 sign=taste:7 sign=taste+being:-3 sign=taste+kin:5
sign=taste+past:1 sign=tech:-4 sign=us:2 sign=us+amend:-2 sign=us+fix:2 sign=us+place:1 sign=vain:-1 signs=future:-2
signs=rule:-2 signs=self:-4 unread:-2
        """,
        "project": """
about=name:4 about=none:-5 about=thing:-2 bias:-2 filed=decision:-1 filed=lesson:-2 filed=project:6
fits=attribute/person:-2 fits=attribute/project:6 fits=remember/:-2 has=did:-1 has=rel:-2 length=0:-4 length=3:2
named:-9 opens=future:-2 opens=note:1 opens=other:-2 opens=project:2 opens=self:-3 opens=us:1 read=attribute/project:6
read=decision/decision:-1 read=remember:-2 side=:-3 side=status:6 sign=amend+passing:3 sign=being:1 sign=being+amend:3
sign=being+passing:2 sign=choice:1 sign=choice+past:2 sign=future+being:3 sign=future+project:3 sign=kin:-3
sign=life:-3 sign=life+steps:-2 sign=opinion:-1 sign=other:-2 sign=past:3 sign=past+project:6 sign=past+self:-2
sign=project:27 sign=project+amend:2 sign=project+habit:2 sign=project+passing:2 sign=rule+amend:-1 sign=rule+future:2
sign=rule+note:1 sign=rule+steps:2 sign=rule+us:2 sign=self:-8 sign=steps+note:2 sign=tech+amend:1 sign=tech+passing:2
sign=tech+place:2 sign=tech+project:3 sign=tech+steps:-1 sign=us:-4 signs=future:-2 signs=past:2 signs=project:4
signs=steps:-3 signs=tech:2
        """,
        "none": """
about=name:-5 about=speaker:-1 bias:10 digit:-5 filed=decision:-2 filed=event:2 filed=fact:-2 filed=person:-2
filed=plan:1 filed=preference:-2 fits=attribute/fact:2 fits=attribute/tool:-2 fits=correction/:-3
fits=decision/decision:-2 fits=event/event:-1 fits=remember/:-5 has=did:3 has=pet:-2 has=rel:-3 has=tech:5 has=when:-3
length=0:11 length=1:8 length=2:-3 length=3:-6 named:6 opens=amend:2 opens=choice:-3 opens=habit:3 opens=life:-2
opens=note:-2 opens=other:-2 opens=passing:5 opens=place:-2 opens=rule:3 opens=self:3 opens=steps:3 opens=taste:-2
opens=tech:-3 opens=us:-3 opens=vain:1 read=commitment/plan:2 read=decision/decision:-1 read=event/event:2
read=remember:-5 side=appointment:2 side=decision:-1 side=instruction:2 side=is:4 side=plan:2 side=steps:2
sign=amend+passing:1 sign=being:-3 sign=being+amend:-2 sign=being+place:-1 sign=being+vain:2 sign=choice:-3
sign=choice+amend:-2 sign=choice+fix:2 sign=choice+future:1 sign=choice+past:-2 sign=choice+self:-3
sign=choice+steps:-2 sign=choice+tech:-2 sign=choice+us:2 sign=fail:5 sign=fail+steps:1 sign=fix:-2 sign=fix+place:2
sign=fix+steps:2 sign=future+fix:2 sign=future+habit:3 sign=future+life:-3 sign=future+other:-2 sign=future+passing:4
sign=future+project:-1 sign=future+self:2 sign=future+steps:-2 sign=habit:-2 sign=habit+passing:2 sign=kin:1
sign=kin+being:3 sign=kin+other:-1 sign=kin+self:-1 sign=kin+steps:3 sign=life:-5 sign=life+fail:-3
sign=life+passing:-1 sign=life+past:-3 sign=life+self:2 sign=life+steps:2 sign=note:-2 sign=opinion+life:2
sign=opinion+other:-1 sign=opinion+passing:-1 sign=opinion+steps:1 sign=other+place:3 sign=other+steps:-2
sign=passing:10 sign=past:-2 sign=past+amend:-2 sign=past+fix:-3 sign=past+habit:4 sign=past+kin:2 sign=past+other:2
sign=past+passing:4 sign=past+project:-2 sign=past+self:-2 sign=past+steps:2 sign=place:-5 sign=place+habit:1
sign=project:-6 sign=project+amend:-2 sign=project+place:1 sign=rule+amend:-2 sign=rule+habit:3 sign=rule+other:4
sign=rule+passing:1 sign=rule+past:5 sign=rule+self:1 sign=rule+steps:-1 sign=self:-2 sign=self+amend:-3
sign=self+being:-2 sign=self+passing:5 sign=self+project:2 sign=self+steps:3 sign=self+tech:3 sign=self+us:3
sign=steps+habit:-2 sign=steps+place:-2 sign=taste:-4 sign=taste+amend:-2 sign=taste+kin:-1 sign=taste+other:2
sign=taste+self:-3 sign=tech+habit:-2 sign=tech+place:3 sign=us:-6 sign=us+place:-1 sign=us+steps:1 sign=us+tech:-2
sign=vain:3 signs=amend:-2 signs=kin:-2 signs=passing:2 signs=place:-2 signs=project:-3 signs=rule:2 signs=tech:-2
unread:16
        """,
        "plan": """
about=none:2 about=thing:2 bias:-3 digit:8 exact:-4 filed=lesson:-2 filed=plan:9 filed=preference:-2
fits=attribute/fact:-3 fits=attribute/person:-2 fits=attribute/project:-1 fits=attribute/tool:-2 fits=commitment/plan:8
fits=correction/:3 has=pet:-3 has=rel:3 has=tech:-4 has=when:12 length=3:-3 opens=amend:2 opens=future:6 opens=kin:2
opens=life:3 opens=past:-2 opens=place:-1 opens=steps:-2 read=attribute/fact:-2 read=commitment/plan:6
read=correction/plan:3 read=remember:2 side=plan:3 side=promise:3 sign=amend:6 sign=being:-3 sign=being+amend:-2
sign=choice+amend:-2 sign=choice+place:1 sign=fail:-2 sign=future:7 sign=future+amend:2 sign=future+habit:-1
sign=future+kin:3 sign=future+life:2 sign=future+past:4 sign=future+self:3 sign=future+steps:-2 sign=future+tech:-2
sign=habit:-2 sign=life+passing:1 sign=life+steps:-3 sign=opinion:-2 sign=other+fix:1 sign=passing:-3 sign=past+amend:2
sign=past+self:2 sign=past+us:-2 sign=place+amend:2 sign=project+steps:2 sign=rule:-4 sign=rule+fix:2
sign=rule+future:-2 sign=rule+habit:-1 sign=self:2 sign=self+amend:-1 sign=self+fix:4 sign=self+steps:1 sign=steps:-2
sign=taste:-3 sign=tech:-4 sign=us+amend:-2 sign=vain:-2 signs=future:8 signs=self:2 signs=tech:-2 unread:-5
        """,
        "procedure": """
about=none:-1 bias:-2 digit:3 exact:-3 filed=person:-1 filed=plan:-2 filed=procedure:6 fits=attribute/procedure:9
fits=attribute/tool:-1 fits=commitment/plan:-1 has=rel:-2 length=0:-4 length=1:-7 length=2:5 length=3:4 named:-5
opens=life:-2 opens=place:3 opens=self:-3 read=attribute/procedure:6 read=commitment/plan:-2 side=:-4 side=fixed_by:1
side=is:2 side=steps:4 sign=amend:-3 sign=being:-1 sign=choice:-2 sign=fix+amend:2 sign=future+self:-2
sign=future+steps:3 sign=habit:3 sign=kin+habit:2 sign=kin+us:1 sign=life+self:-3 sign=opinion+being:2 sign=other:-1
sign=past:-6 sign=past+place:-1 sign=place:6 sign=project+steps:2 sign=rule+place:2 sign=rule+steps:2 sign=rule+tech:2
sign=self:-9 sign=self+place:-1 sign=self+steps:-4 sign=self+tech:-2 sign=steps:12 sign=steps+place:3 sign=tech:4
sign=tech+habit:1 sign=tech+steps:5 sign=us+habit:2 sign=us+place:-1 sign=vain:-2 signs=steps:12 signs=us:2 unread:-2
        """,
    },
    "en": {
        "fact": """
$#:5 $both:2 $day:3 $july:2 $quarter:2 $side:2 $th:-2 $them:-2 .#:2 .#_is:2 .a:5 .a_day:3 .acces*:2 .access:2 .accou*:2
.accounting:2 .again:-1 .all:2 .all_of:3 .an:2 .and_a:1 .as:-3 .back:-2 .becam*:2 .became:2 .became_a:2 .been:2
.before_i:2 .behin*:2 .behind:2 .behind_the:2 .blue:2 .both:1 .by:-3 .can:-1 .cat:3 .clien*:1 .client:1 .client_is:1
.contr*:2 .custo*:2 .customers:2 .days:3 .did:2 .engag*:1 .ever:2 .ever_since:2 .every*:-1 .excep*:2 .eye:1 .fire:4
.fits=attribute/fact/:5 .fits=attribute/person/:-2 .fits=commitment/plan/appointment:-2
.fits=commitment/plan/deadline:1 .flat:2 .flat_in:2 .form:2 .from:-5 .gets:3 .ghent:2 .go:1 .goes:-2 .got:3 .guest:2
.hall:2 .hard:1 .have:2 .have_a:2 .heade*:-1 .heari*:2 .hearing:2 .hold:2 .house*:2 .how:-1 .i:-2 .i'm:3 .i've:3
.i've_been:2 .i_became:2 .i_have:2 .impor*:-2 .in:4 .in_#:2 .in_ghent:2 .in_one:1 .inter*:1 .invoi*:4 .invoices:2 .is:2
.is_the:3 .it:-2 .it's:-3 .it's_#:-1 .july:2 .late:-3 .leeds:2 .locke*:2 .locker:2 .me:-2 .minut*:-3 .minutes:-3 .mr:1
.need:-1 .no:2 .nobod*:-1 .nobody:-1 .not:-2 .numbe*:3 .numbers:2 .of:3 .of_the:2 .off_on:1 .office:2 .old:5 .on_the:5
.one:3 .only:4 .order:2 .our:2 .paid:1 .parki*:2 .parking:2 .passp*:4 .passport:4 .passw*:2 .password:2 .put:2
.quart*:1 .quarter:1 .rabbi*:1 .regis*:3 .remot*:2 .room:-2 .shoul*:2 .should:2 .side:3 .since:5 .sits:4 .sits_in:5
.spare:2 .sprin*:-1 .start:2 .starts:2 .stati*:2 .station:2 .strik*:1 .studi*:2 .sunda*:3 .takes:-2 .ten:-3 .tenan*:3
.tenant:3 .the:-2 .the_dog:1 .the_first:2 .the_flat:2 .the_hall:2 .the_old:2 .the_spare:2 .them:-2 .then:-2 .there:2
.third:2 .three:-2 .to:-7 .train:-2 .tuesd*:2 .tuesday:2 .twice:2 .twice_a:3 .two:3 .up:-2 .us:2 .want:-2 .wasn'*:-1
.wasn't:-1 .we:-4 .we've:3 .wedne*:3 .wednesdays:3 .week:-2 .what:-2 .where:2 .who:-2 .wifi:2 .with:2 .witho*:1
.without:1 .works:2 .write:-2 ^i'm:3 ^i've:1 ^i_have:2 ^it's:-2 ^not:2 ^on:2 ^that's:2 ^the:6 ^we:-1
        """,
        "decision": """
$#:-1 $all:2 $in:3 $offsite:2 $on:2 $that:2 $year:2 .#_for:2 .#_on:2 .a:-4 .a_new:1 .after:3 .after_all:2 .after_the:2
.agree*:2 .agreed:2 .and_i:2 .are:-3 .as:2 .as_of:2 .at:-3 .attac*:2 .baby:2 .back_to:2 .be:7 .be_called:2 .best:2
.betwe*:3 .between:3 .broth*:2 .build:2 .by:-2 .car:1 .cheap*:2 .conse*:2 .could:-2 .docto*:2 .doctor:2 .done:1
.endpo*:2 .filed=decision:3 .filed=event:-2 .filed=fact:2 .first:-1 .fits=decision/decision/decision:3 .floor:3
.fonts:2 .for:5 .for_good:2 .for_the:3 .four:2 .go:2 .goes:2 .goes_to:2 .going:3 .going_to:3 .good:2 .has_no:1 .host:2
.i'll:1 .i'm:3 .i've:2 .i_opted:2 .in:-3 .is:-2 .is_in:2 .is_out:2 .it's:3 .libra*:1 .lisbo*:2 .lisbon:2 .made:2 .me:-2
.mind:2 .more:3 .my_mind:2 .no:2 .no_more:2 .not_the:2 .oak:4 .of_today:2 .offsi*:2 .offsite:2 .old:2 .on_that:2
.opted:2 .opted_for:2 .our:-3 .out:2 .plain:2 .q:2 .rathe*:1 .rather:1 .rejec*:-2 .rest:2 .rever*:2 .runni*:-2
.running:-2 .self:2 .servi*:2 .service:2 .settl*:5 .settled:3 .settled_on:2 .she's:2 .sprin*:2 .stays:2 .take:3
.take_the:3 .the:6 .the_baby:2 .the_fonts:2 .the_four:4 .the_old:2 .the_two:2 .this:3 .to:3 .to_#:2 .to_be:2 .today:2
.took:2 .under*:2 .was:-3 .way:-2 .we:3 .we'll:2 .we're:5 .were:-2 .what:-1 .why:-1 .will:2 .will_be:2 .won:2 .won't:3
.won't_be:3 .year:2 .you:-2 ^as:2 ^as_of:2 ^between:3 ^i:-3 ^i'll:2 ^i've:2 ^no:1 ^our:-2 ^the:-1 ^we'll:2 ^we're:4
        """,
        "event": """
$#:-2 $first:-1 $it:2 $july:-2 $june:3 $september:1 $spring:2 $today:2 $together:-3 $up:2 $week:2 .#:-1 .#_september:2
.a:1 .a_small:2 .after:5 .and_a:-1 .and_i:-2 .and_it's:2 .and_the:-2 .are:-3 .as:3 .as_of:3 .at:1 .at_the:3 .augus*:2
.august:2 .away:2 .back:2 .be_a:2 .being:2 .broke:2 .by:-2 .came:2 .cance*:2 .car:1 .comin*:2 .coming:2 .compa*:-2
.cross*:-1 .dad's:2 .due:2 .elect*:2 .eleve*:3 .eleven:3 .ended:2 .ended_up:2 .ever:-2 .ever_since:-2 .filed=event:3
.filed=fact:-2 .filed=plan:3 .first:-2 .fits=attribute/person/:2 .fits=commitment/plan/deadline:4 .fits=event/event/:2
.fits=remember//:-2 .five:2 .for_good:1 .for_the:3 .forty:2 .frida*:3 .friday:3 .from:3 .full:1 .going:1 .going_to:2
.got:2 .grand*:2 .had:3 .had_a:1 .has_been:-2 .have:3 .house:1 .hundr*:1 .i'm_going:2 .i've_been:2 .in:6 .in_#:-2
.in_january:3 .in_law:1 .in_spring:4 .in_the:1 .into:2 .into_the:1 .is:-3 .is_out:2 .is_the:-1 .it:-2 .janua*:3
.january:3 .july:-2 .june:3 .keys:1 .kids:-2 .late:2 .law:2 .look:-1 .march:2 .me:-2 .moved:2 .my:3 .not:-2 .novem*:2
.november:2 .octob*:-1 .october:-1 .of:2 .of_today:2 .off:1 .off_the:2 .offic*:2 .old:-3 .on:3 .on_friday:2
.on_sunday:2 .one:-3 .our:4 .out:2 .park:2 .phone:-2 .publi*:3 .rejec*:2 .retir*:1 .septe*:3 .september:3 .shop:3
.since:-2 .siste*:1 .sister:1 .small:2 .sold:2 .sold_the:2 .sprin*:3 .spring:3 .strok*:2 .stroke:2 .sunda*:1 .sunday:2
.that:-3 .the_car:2 .the_flat:-1 .the_house:1 .the_left:1 .the_shop:3 .the_van:2 .they've:1 .three:-2 .thurs*:-2
.time:-2 .to_be:2 .today:2 .toget*:-2 .together:-2 .twins:-2 .up:3 .van:2 .was:2 .watch*:-1 .way:-2 .we:-2 .weddi*:1
.wedding:1 .week:2 .who:-1 .with_a:2 .years:5 .yeste*:2 .yesterday:2 .you:-1 ^after:3 ^dad's:2 ^got:2 ^i'm_going:2
^i've_been:2 ^keys:2 ^my:2 ^my_sister:2 ^our:5 ^the:-4 ^we:-2
        """,
        "lesson": """
$#:-2 $again:2 $back:2 $day:-2 $first:2 $it:-2 $key:2 $solved:2 $tables:2 $them:2 .#_#:-3 .a:2 .a_lock:1 .added:3
.all:2 .anoth*:2 .another:2 .are:-1 .as:1 .at:-1 .at_all:2 .at_the:-2 .away:1 .be:-3 .befor*:3 .before:3 .billi*:2
.billing:2 .bit:1 .block*:3 .by:-2 .c:1 .can:3 .certi*:2 .comin*:2 .coming:2 .cron:1 .cut:5 .did:3 .didn'*:2 .didn't:2
.diffe*:2 .e:1 .effec*:4 .effect:4 .etc:1 .even:4 .every*:-2 .exerc*:1 .filed=decision:2 .filed=event:-2
.filed=lesson:5 .filed=person:2 .fits=attribute/procedure/steps:-2 .fits=correction//:-1 .fits=dead_end/lesson/result:4
.fits=remember//:2 .fix:-2 .flat:3 .flick*:2 .font:1 .for:-6 .for_the:-2 .forge*:2 .forget:2 .freeze:1 .gave:1
.had_the:2 .hand:-1 .have:-1 .heade*:4 .header:1 .hours:2 .i:-1 .i'm:-2 .impor*:4 .in:-5 .insur*:2 .is:-8 .is_to:-2
.it:8 .kept:2 .key:4 .knee:1 .learn*:4 .learned:2 .lock:5 .look:2 .loop:4 .machi*:2 .made:3 .made_the:2 .memor*:2
.memory:2 .modul*:2 .modules:2 .need:-1 .neith*:3 .neither:3 .next:2 .node:1 .none:5 .none_of:2 .not:-2 .numbe*:-1
.of:-3 .off:4 .offic*:-1 .office:-1 .one:2 .one_in:1 .out:2 .patch:2 .physio:1 .pump:2 .rejected:1 .resta*:1 .root:1
.runni*:3 .running:3 .salt:-2 .scann*:1 .scanner:1 .scree*:2 .screen:2 .seconds:2 .senso*:3 .sensor:2 .sessi*:2
.sessions:2 .site:3 .slowe*:2 .slower:2 .so:2 .so_i:1 .solve*:2 .solved:2 .sourd*:2 .sourdough:2 .stopp*:6 .stopped:6
.stops:3 .table*:2 .tables:2 .takes:1 .takes_#:2 .that:2 .the:8 .the_billing:2 .the_build:1 .the_four:-1 .the_vendor:2
.their:2 .them:2 .then:-2 .there:1 .this:-2 .to:-3 .twelv*:2 .twelve:2 .two:-2 .until:2 .up:-2 .utf:3 .utf_#:3
.vendo*:2 .waiti*:1 .waiting:1 .waiting_for:2 .wasn'*:3 .wasn't:3 .water:2 .way:1 .were:3 .which:2 .winte*:2 .winter:1
.with_the:3 .you:-2 ^between:-1 ^forget:2 ^gave:2 ^i've:1 ^if:1 ^it's:-1 ^neither:3 ^the:-2 ^when:2
        """,
        "tool": """
$#:5 $again:-2 $done:-2 $is:2 .#_for:-1 .a:-3 .above:2 .after:3 .again:-2 .allow*:2 .alrea*:-2 .already:-2 .and:-2
.at_the:-2 .b:2 .be:-1 .build:-2 .calle*:2 .called:2 .come:2 .conta*:-2 .container:-2 .done:-2 .examp*:2 .example:2
.expir*:2 .files:-2 .fits=attribute/tool/:4 .fits=correction//:2 .flag:2 .for:-2 .for_the:-3 .forty:2 .free:3
.free_plan:3 .go:-2 .guest:-2 .i:3 .i_was:2 .in:-2 .in_this:2 .invoi*:-1 .is:6 .is_at:2 .is_called:2 .is_not:2 .it:-2
.it's:4 .it's_#:5 .its:1 .liste*:1 .listens:1 .listens_on:1 .lives:-2 .minut*:3 .minutes:2 .name:-2 .night:2 .no:1
.not:3 .of_the:-2 .old:2 .on:2 .on_#:1 .one:-2 .only:3 .our:2 .out_of:2 .plan:3 .read:2 .repo:-1 .runne*:2 .runs:2
.seats:2 .secon*:-1 .seconds:-2 .secre*:2 .secrets:2 .serve*:4 .server:3 .sessi*:3 .sessions:3 .takes:-2 .takes_#:-2
.the:-2 .the_build:-2 .the_container:-2 .the_free:3 .the_old:2 .there's:2 .there's_no:2 .there*:2 .this:2 .three:2
.to:-2 .updat*:-2 .use:-2 .was:2 .week:-2 .wifi:-2 .write:2 ^i:2 ^i_was:2 ^it's:4 ^it's_#:5 ^our:2 ^the:3
        """,
        "person": """
$#:-2 $it:2 $me:-2 $minutes:2 $now:1 $october:3 $spring:2 $that:-1 $together:5 $years:2 .#:-4 .#_now:1 .#_october:1
.#_september:-2 .a:-3 .a_small:-2 .about:2 .accou*:2 .alway*:2 .always:2 .and:2 .and_her:1 .and_i:6 .anything_with:1
.are:-3 .at:2 .at_all:2 .at_the:3 .back:-2 .beatr*:1 .been:4 .bette*:1 .better:1 .black:2 .boile*:2 .boiler:2 .calle*:2
.called:2 .can:1 .can't:4 .changed:1 .coffee:1 .colle*:2 .compa*:2 .conta*:2 .daugh*:-1 .daughter:-1 .desig*:1
.design:1 .docto*:-2 .doctor:-2 .dr:2 .ever_since:1 .far:2 .filed=event:2 .filed=person:2 .filed=preference:-1
.fits=attribute/person/:4 .fits=remember//:2 .fixes:2 .flat:3 .flat_in:2 .food:2 .for:-2 .for_the:-2 .forge*:-2
.forget:-1 .from:-3 .goes:2 .got:-2 .gym:2 .had_a:-2 .handl*:3 .has_been:3 .he's:2 .her:2 .him:3 .his:3 .husba*:2
.husband:2 .i'm:-1 .i've:-2 .i_can:2 .if_you:2 .in:-3 .is:6 .is_a:1 .is_called:2 .is_my:1 .is_on:3 .it:-1 .it's:2
.left_handed:1 .light*:2 .littl*:2 .little:2 .march:-2 .me:-2 .me_to:2 .met:2 .mr:2 .my:4 .my_daughter:-1 .my_old:2
.my_sister:-3 .name:3 .name_is:2 .neigh*:3 .neith*:-2 .neither:-2 .no:-3 .nobod*:2 .nobody:2 .not:-2 .number:2
.octob*:2 .october:2 .of:-2 .old:2 .on_it:2 .on_the:3 .one:2 .only:-1 .our:6 .out:-3 .plays:2 .publi*:-1 .repor*:2
.report:2 .sail:2 .see:1 .septe*:-2 .september:-2 .share*:2 .shared:2 .she's:3 .since:2 .siste*:-2 .sister:-2 .small:-1
.so:3 .strok*:-2 .stroke:-2 .suppo*:-1 .takes:4 .tell:2 .the:-5 .the_minutes:2 .the_old:-2 .them:3 .there:-2 .thesi*:2
.thesis:2 .they:3 .this:-2 .thurs*:1 .ticket:2 .to_be:2 .toget*:6 .together:6 .turn:2 .twins:3 .uncle:3 .us:-3 .uses:2
.was_a:2 .way:-2 .we:-2 .where:-2 .who:4 .with_a:-2 .with_the:-3 .years:3 .young*:3 .your:-2 ^dad's:-2 ^forget:-1
^had:2 ^if:-1 ^it's:1 ^my:2 ^neither:-2 ^the:-4 ^we:-2 ^you:1
        """,
        "project": """
$#:2 $april:2 .#:3 .#_#:2 .#_of:2 .a:-2 .accep*:4 .acceptance:4 .and:2 .and_still:2 .appro*:2 .april:2 .as:-2 .at_#:2
.backe*:3 .backend:3 .billi*:2 .billing:2 .build:-2 .by_hand:1 .chang*:2 .clean:-2 .clien*:3 .client:3 .desig*:3
.design:3 .examp*:2 .example:2 .far:2 .filed=project:4 .files:2 .fits=attribute/project/status:4 .for:2 .for_the:-2
.from:-2 .fundi*:2 .funding:2 .gener*:1 .has:1 .have:-1 .i:-2 .in:2 .in_your:2 .inter*:-2 .is:6 .is_at:1 .is_in:2
.is_the:3 .is_to:2 .it_in:2 .keep:3 .lead:3 .licen*:-1 .lives:3 .may:2 .missi*:3 .missing:3 .mobil*:4 .mobile:4
.mobile_client:4 .my:-2 .name:2 .no:-1 .nobod*:3 .nobody:3 .now:2 .of:5 .of_the:-2 .on_it:2 .our:-2 .over:2 .over_the:2
.pilot:2 .proje*:2 .project:2 .publi*:2 .q:3 .remem*:2 .remember:2 .repla*:2 .repo:3 .rewrite:2 .sail:2 .share*:2
.shared:2 .sourc*:2 .source:2 .sprin*:-2 .still:2 .team:3 .tests:2 .than:-1 .that:-2 .the_mobile:4 .they:-1 .this:-1
.to:3 .to_be:-2 .to_the:3 .took:2 .under:3 .until:3 .until_#:2 .water:2 .were:-1 .what:-2 .what_we:-1 .will_be:2
.with:-2 .works:2 .you:-2 .your:2 ^nobody:2 ^to:-1 ^we:2
        """,
        "none": """
$again:1 $all:-2 $april:-2 $done:2 $example:2 $file:2 $is:2 $it:2 $lunch:3 $me:4 $morning:2 $off:2 $on:2 $solved:-2
$them:-2 $thursday:-2 $time:3 $week:-2 $year:-2 $you:2 .#_#:2 .#_s:2 .a:5 .a_day:-1 .a_lock:-2 .a_man:4 .about:2
.acceptance:-2 .acros*:3 .across:3 .across_the:2 .after:-5 .again:6 .again*:-2 .against:-2 .allow*:-2 .alrea*:3
.already:3 .and_i:-2 .and_me:-2 .and_the:4 .and_then:1 .anoth*:1 .another:1 .anything_with:-1 .april:-2 .are:-4 .as:-3
.as_of:-2 .asked:2 .at:-4 .at_#:-2 .attac*:-1 .away:-2 .b:-3 .back:2 .back_to:3 .batte*:2 .battery:2 .be:-2 .be_a:-2
.becom*:2 .befor*:-2 .before:-2 .before_you:-1 .behin*:-1 .behind:-1 .behind_the:-1 .betwe*:-1 .between:-1 .bit_of:-2
.black:-1 .block*:-1 .build:2 .but:3 .cake:2 .cat:-1 .clean:2 .clien*:-2 .client:-2 .cold:2 .compa*:-2 .conta*:2
.container:2 .could:5 .cross*:2 .customer:2 .cut:-4 .daugh*:2 .daughter:2 .demo:2 .depen*:1 .depends:2 .depends_on:2
.did:-4 .dns:3 .doctor:1 .don't:3 .done:2 .each:-2 .effec*:-2 .effect:-2 .eithe*:2 .either:2 .error:2 .every:-2
.examp*:2 .example:2 .eye:-1 .file:3 .filed=event:3 .filed=person:-2 .filed=plan:-2 .filed=preference:2
.filed=procedure:2 .filed=tool:2 .files:2 .film:2 .final*:1 .finally:1 .find:2 .fine:2 .first:2
.fits=attribute/procedure/steps:2 .fits=attribute/tool/:-1 .fits=correction//:-2
.fits=preference/preference/instruction:3 .fits=remember//:-3 .fix:2 .fix_the:2 .flat:-3 .follo*:2 .food:-2
.for_good:-2 .for_me:-2 .for_the:2 .for_this:1 .found:3 .four:-5 .free_plan:-2 .frida*:-2 .friday:-2 .frien*:2
.friend:2 .from:2 .full:-1 .ghent:-1 .give:2 .grand*:-3 .had:2 .had_a:1 .had_said:2 .half_the:2 .handl*:-2 .happe*:2
.happened:1 .has:-3 .hates:2 .he:1 .head:2 .how:2 .i:2 .i'll:1 .i'm_a:2 .i_can't:2 .i_never:-2 .i_want:-2 .if:4
.if_the:-2 .import:1 .in:-6 .in_#:2 .in_a:2 .in_ghent:-1 .in_spring:-1 .insta*:2 .inter*:-2 .into:4 .is:-3 .is_in:-2
.is_out:-2 .it's_#:-2 .it_was:1 .just:3 .key:-2 .knee:-1 .late:4 .learn:2 .left:-3 .let's:3 .let_me:2 .life:2 .lift:2
.listed:2 .live:-2 .lived:1 .lives:3 .lives_in:2 .local*:1 .lock:-3 .look:2 .look_at:2 .looki*:2 .looking:2 .loop:-2
.lunch:2 .made:-2 .make:2 .man:4 .manager:2 .may:-2 .me:4 .me_the:2 .me_to:-1 .might:3 .minut*:2 .minutes:2 .mr:-1
.my_daughter:2 .need:4 .need_to:2 .neigh*:-2 .no_idea:1 .nobod*:2 .nobody:2 .node:-2 .none:-3 .not:-2 .not_a:-2
.nothi*:3 .nothing:3 .of:-2 .of_a:2 .of_today:-2 .office:2 .old:-6 .on:-4 .on_it:-1 .once:3 .one:-4 .only:-3 .or:2
.order:-2 .origin:2 .our:-5 .out:-2 .over:-3 .paid:-2 .parro*:4 .parrot:2 .patch:-2 .perce*:2 .percent:2 .phone:4
.physi*:-2 .physio:-2 .plan:-3 .pleas*:2 .please:2 .point*:-2 .points:-1 .port_#:1 .possi*:2 .possibly:2 .publi*:-2
.raini*:1 .raining:1 .ran:2 .reads:2 .reall*:3 .really:3 .regis*:-2 .remote:2 .rever*:-1 .runne*:-2 .runni*:2
.running:2 .runs:-1 .rye:-1 .s:2 .said:3 .sail:-2 .sake:2 .say:1 .says:6 .schoo*:-2 .scrip*:1 .scripts:1 .seats:-3
.secre*:-2 .see:2 .self:-3 .send:3 .serve*:-2 .server:-1 .sessi*:-2 .sessions:-2 .settl*:-2 .she:2 .she's:-2 .since:-2
.siste*:-2 .sister:-2 .site:-1 .sits:-2 .sits_in:-2 .sleep:3 .solve*:-2 .solved:-2 .some:3 .someo*:3 .someone:2
.somet*:2 .something:2 .sort:2 .spent:2 .spring:-2 .stopp*:-2 .stopped:-2 .stree*:2 .street:2 .sun:2 .suppo*:3
.supposed:2 .supposed_to:2 .sure:2 .takes:-2 .tea:-2 .ten:2 .tenan*:-1 .tenant:-1 .than:-2 .that:4 .the_container:2
.the_customer:2 .the_dns:3 .the_free:-2 .the_import:1 .the_minutes:-1 .the_numbers:2 .the_office:2 .the_old:-3
.the_three:2 .the_whole:1 .them:-5 .then:5 .then_the:3 .theor*:1 .there:4 .these:2 .this:7 .through_the:2 .thurs*:-2
.thursday:-2 .time:2 .to_be:-4 .to_it:2 .to_learn:2 .to_me:2 .to_the:-2 .today:-2 .toget*:-1 .together:-1 .told:1
.train:3 .train*:2 .trans*:2 .translate:3 .tried:1 .tuesd*:-2 .tuesday:-2 .turn:2 .twelv*:-2 .twelve:-2 .twent*:2
.twenty:2 .twice_a:-2 .two:-2 .uncle:-2 .under:-2 .up_to:2 .updat*:2 .use:3 .was:1 .was_a:-1 .watch*:3 .we:4 .we're:-2
.wedne*:-3 .wednesday:-2 .week:-3 .were:2 .wet:2 .what:6 .what_the:3 .whate*:2 .whatever:2 .who:5 .whole:2 .will_be:-2
.winte*:-2 .winter:-1 .with:-4 .won't:-2 .won't_be:-2 .works:-2 .would:2 .wrote:2 .year:-2 .years:-2 .you:5 .you'r*:2
.you're:2 .young*:-1 .your:5 ^#:2 ^a:3 ^after:-1 ^between:-2 ^don't:2 ^give:2 ^half:1 ^i:1 ^i'm:-1 ^i_can't:2 ^in:2
^it:2 ^it's_#:-2 ^let's:3 ^my:3 ^neither:-1 ^never:2 ^nobody:2 ^not:-2 ^our:-3 ^please:2 ^possibly:2 ^the:3
^translate:3 ^we:3 ^we're:-2
        """,
        "plan": """
$july:2 $th:3 $thursday:3 $way:2 .#:2 .#_#:-2 .#_th:4 .a:-4 .all:-2 .and:-3 .are:-3 .as:-2 .at:3 .b:2 .being:-2
.birth*:2 .birthday:2 .birthday_is:1 .boile*:2 .boiler:2 .booke*:2 .booked:2 .can:2 .comes:2 .comes_on:2 .daily:2
.demo:2 .do:2 .docs:2 .eight:2 .exerc*:1 .filed=plan:4 .first:-2 .fits=attribute/fact/:-1
.fits=commitment/plan/appointment:6 .fits=commitment/plan/promise:3 .fits=correction//:2 .fixed:2 .flat:-1 .for_the:5
.frida*:2 .friday:2 .from:2 .from_the:1 .has:3 .have:2 .have_the:2 .hundr*:-2 .i:3 .i'd:1 .insta*:2 .is:-2 .is_due:1
.is_in:2 .is_the:-2 .it:-4 .it's:-3 .july:2 .keep:1 .knee:3 .late:-2 .lesso*:2 .lesson:2 .let:-2 .marat*:2 .marathon:2
.may:2 .morni*:3 .morning:3 .my:-2 .no:-2 .no_way:1 .not:4 .not_a:2 .octob*:2 .october:2 .of:1 .old:-1 .on:-2 .on_#:2
.on_friday:2 .on_the:-4 .our:-3 .out:-2 .page:1 .paid:2 .paren*:-1 .passp*:-2 .passport:-2 .place:3 .room:2 .run_the:2
.secon*:3 .second:3 .second_week:3 .septe*:2 .september:2 .signe*:2 .signed:2 .since:-2 .sprin*:1 .starting:2 .swimm*:2
.swimming:2 .takes:4 .th:4 .the:2 .the_#:3 .the_boiler:2 .the_demo:2 .the_second:3 .them:-2 .three:2 .thurs*:4
.thursday:4 .tickets:2 .till:2 .to:2 .to_be:2 .to_my:2 .to_the:2 .tuesd*:2 .tuesday:2 .until:-2 .up:2 .up_the:2 .was:-3
.way:2 .wedne*:4 .wednesday:4 .week:9 .week_#:5 .week_of:3 .with:1 .with_the:3 .you:-2 ^in:1 ^it's:-1 ^my:-2 ^not:2
^our:-2 ^so:1 ^the:1 ^the_demo:2
        """,
        "preference": """
$please:2 $that:2 $them:2 $year:2 .#:-2 .a:2 .about:-2 .again*:2 .against:2 .all_the:1 .and_me:2 .answe*:3 .answer:2
.any:3 .anyth*:3 .anything:3 .anything_with:2 .are:5 .as:3 .at_least:2 .auto:1 .back:-2 .be:2 .beats:2 .becau*:2
.because:2 .because_of:2 .been:-3 .bit_of:2 .but_the:-1 .by:4 .by_the:2 .can:-1 .can't:-2 .case:1 .check*:1 .code:4
.coffe*:2 .coffee:2 .come:2 .comme*:2 .comments:2 .commi*:2 .commit:2 .compa*:2 .count:2 .count_me:2 .don't:-1 .down:-2
.draft:2 .drink:2 .eat:2 .else:2 .email*:2 .engli*:2 .english:2 .every*:1 .everything:2 .expla*:2 .filed=event:-2
.filed=preference:3 .first:2 .fits=opinion/preference/thinks:4 .fits=preference/preference/likes:2 .fits=remember//:3
.for:3 .for_any:1 .for_me:3 .for_the:-2 .four:3 .from:3 .from_here:2 .from_me:2 .get:2 .hallo*:1 .have:-4 .her:-2
.here:3 .here_on:2 .hospi*:1 .hospital:1 .house:2 .hundr*:2 .i:2 .i'm:-3 .i've_been:-3 .i_don't:2 .i_never:2 .i_want:4
.i_was:-1 .i_write:2 .in:4 .inter*:2 .is_the:1 .k:2 .least:2 .limit*:2 .live:2 .longe*:2 .longer:2 .looks:2 .manag*:2
.me:7 .me_in:2 .merge:1 .messa*:2 .messages:2 .metri*:1 .month:2 .my_sister:2 .neith*:2 .neither:2 .never:3 .no:2
.nor:2 .not_a:2 .nothi*:2 .nothing:2 .of:2 .offic*:2 .on_that:2 .one:-1 .only:-2 .open:2 .penic*:2 .penicillin:2
.plan:2 .point*:2 .points:2 .prefe*:2 .regar*:1 .round:1 .run:-1 .rye:2 .s:2 .s_#:2 .says:-1 .schoo*:2 .school:2
.self:2 .sente*:3 .set:2 .sign:2 .since:-1 .since_the:2 .siste*:2 .sister:2 .so:-2 .spell*:2 .story:2 .support:2
.switc*:2 .take:2 .tea:2 .than:4 .than_it:2 .that's_how:1 .the:-8 .the_house:2 .the_way:2 .them:3 .this:-4
.this_down:-1 .three:-2 .to:3 .to_a:2 .to_be:2 .too:1 .took:-2 .trust:2 .turn:-2 .up:-2 .want:5 .way:1 .what_we:2
.when:1 .who:-2 .year:2 .years:-2 .your:-3 ^anything:2 ^as:2 ^count:1 ^count_me:1 ^don't:-2 ^for:1 ^i:2 ^i've:-2
^i've_been:-2 ^i_don't:2 ^my:-3 ^neither:2 ^please:-2 ^that:1 ^the:-3 ^to:2 ^use:1
        """,
        "procedure": """
$them:2 .above:2 .above_#:2 .after:-2 .and:4 .and_the:-1 .are:9 .at:4 .be:-2 .befor*:2 .before:2 .before_you:3 .by:7
.call:2 .clean:2 .costs:2 .desk:3 .dns:-2 .do:2 .does:2 .don't:-1 .each:2 .every*:2 .fifte*:2 .fifteen:2 .file:-1
.filed=procedure:2 .first:2 .first_then:2 .fits=attribute/procedure/steps:4 .fits=correction//:2
.fits=error_fix/lesson/fixed_by:2 .form:2 .front:3 .grand*:2 .guest:2 .hand:3 .has:-1 .i:-4 .if:2 .if_the:2 .is:-2
.is_to:2 .it:4 .it's:-2 .it_in:3 .keys_are:1 .last:3 .let:1 .locke*:2 .minut*:2 .minutes:2 .need:2 .nine:3 .no:-2
.node:2 .not:2 .of:-4 .of_us:2 .offic*:-2 .on_call:2 .on_the:-3 .one:1 .origi*:2 .out:2 .over:2 .patch:2 .per:3
.phone:1 .print*:3 .refun*:3 .relea*:2 .rotat*:1 .salt:4 .secre*:3 .seven:2 .signa*:4 .signature:4 .start:1 .tag:2
.the_dns:-2 .the_first:-1 .the_trick:2 .the_way:2 .then:2 .trick:2 .uploa*:2 .us:1 .valid:2 .was:-1 .with:3 .work:2
.writt*:2 .written:2 .you:3 ^new:2
        """,
    },
}
