"""Weights of features by category, in tenths (others); written by bench/weights.py."""

from __future__ import annotations

WEIGHTS: dict[str, dict[str, str]] = {
    "de": {
        "fact": """
$#:3 .filed=fact:4 .ist_#:2 .kann:-2 .zu:2 .zur:2 ^der:2 ^die:2 ^ich:1
        """,
        "plan": """
$#:-2 .#:3 .ab:4 .am:5 .am_#:3 .bin:2 .bin_ich:2 .dem:2 .den:1 .der:2 .die:2 .filed=plan:1 .ich:3 .im:3 .ist:4 .mai:2
.monta*:2 .montag:2 .nach:2 .start*:2 .woche*:2 .wochen:2 .zwei:2 ^am:4 ^am_#:3
        """,
        "person": """
$#:2 .#:2 .als:2 .auf:1 .aus:1 .brude*:-2 .bruder:-2 .der:-2 .ein:-2 .filed=person:2 .fits=correction//:2
.fits=remember//:2 .haben:2 .im:-2 .ist_die:1 .keine:3 .mein:-2 .mein_bruder:-2 .meine:3 .meine*:1 .mir:-1 .nur:2
.studi*:2 .und:3 .uns:2 .vom:2 .von:3 .war:1 .wir:-2 ^mein:-2 ^mein_bruder:-2 ^meine:2
        """,
        "none": """
$#:-1 $s:3 .#:-2 .#_s:3 .ab:-2 .als:-1 .bei:-2 .bin:2 .danke:-2 .das:3 .den:-1 .der:-3 .die:-1 .ein:4 .frau:2 .für:-2
.hat:4 .immer:1 .in:-2 .in_#:3 .ist:-2 .jetzt:-1 .mai:-2 .meine:-2 .mich:-2 .mit:-3 .s:3 .sind:-2 .und:-2 .uns:-2
.utc:-3 .von:-2 .vor:2 .wir:3 .zeile*:-3 .zeilen:-3 .zwei:-2 ^der:2
        """,
        "preference": """
.#:-1 .danke:2 .die:-2 .filed=preference:2 .für:3 .in:2 .mich:2 .mir:2
        """,
        "lesson": """
.#:-2 .bei:1 .den:2 .die:2 .drei:2 .filed=lesson:2 .in:-2 .ist:-2 .kann:2 .komme*:3 .kommen:3 .mehr:2 .mit:4 .nicht:2
.nicht*:2 .nichts:2 .sind:2 .utc:4 .zeile*:4 .zeilen:4
        """,
        "tool": """
.#:2 .der:2 .druck*:2 .filed=tool:1 .fits=remember//:1 .kann:2 .nur:2 .port:2 .port_#:2 ^der:2
        """,
        "project": """
.als:1 .drei:1 .in:4 .in_der:2 .ist:2 .ist_seit:2 .mai:2 .seit:2
        """,
        "event": """
.brude*:2 .bruder:2 .filed=person:2 .fits=attribute/person/:2 .für:2 .geste*:2 .gestern:2 .kam:2 .kelle*:2 .keller:2
.mein:2 .mein_bruder:2 .uns:2 ^gestern:2 ^mein:2 ^mein_bruder:2
        """,
        "procedure": """
.dann:1 .formu*:1 .formular:1 .man:2 .rechn*:1 .und:2 .unter*:2 .zum:3 .zwei:4 .über:3 ^zum:3
        """,
        "decision": """
.filed=decision:2 .fits=decision/decision/decision:2
        """,
    },
    "es": {
        "fact": """
$#:3 .el:1 .en_un:1 .es:3 .está:1 .está_en:2 .filed=fact:2 .fits=remember//:3 .la:2 .las:-2 .que:1 .vivo:2 ^el:3 ^la:3
^vivo:2
        """,
        "plan": """
.#:2 .a_las:2 .al:2 .del:2 .del_#:3 .el:2 .el_lunes:2 .en:2 .en_la:2 .filed=plan:4 .fits=event/event/event:2
.fits=preference/preference/instruction:2 .las:2 .lunes:2 .se:-1 ^el:2 ^el_lunes:2
        """,
        "none": """
.#:-3 .a:-2 .al:-2 .al_final:1 .cierr*:2 .de:-5 .en:-2 .esa:2 .ese:1 .esta:2 .final:1 .la:-3 .los:-2 .mi:-2 .por:4
.que:2 .qué:2 .se:-2 .un:4 ^en:-2 ^la:-4 ^me:2
        """,
        "procedure": """
.#_a:2 .compr*:2 .hacen:2 .las:2 .porta*:2 .portal:2 .prove*:2 .proveedor:2 .se:4 .se_hacen:2 .y:2 ^las:3
        """,
        "decision": """
.a:1 .con:1 .de:2 .en:2 .en_la:2 .la:3 ^la:2
        """,
        "project": """
.a:-2
        """,
        "event": """
.a_mi:2 .el:2 .el_lunes:-2 .en_la:-2 .filed=event:2 .fits=event/event/event:2 .herma*:2 .hermana:2 .lunes:-2 .mes:1
.mi:3 .mi_hermana:2 .nos:3 .se:4 .su:2 .y:2 ^el_lunes:-2 ^en:2 ^mi:2 ^mi_hermana:2
        """,
        "lesson": """
.al:3 .clien*:2 .cliente:2 .del:3 .hora:2 .la:2 .los:2 .por:-1 ^al:2 ^la:2
        """,
        "preference": """
.como:2 .de:2 .del:-2 .demas*:1 .desde:2 .el:-1 .filed=preference:3 .la:-2 .me:2 .para:1 .siemp*:2 .siempre:2 .soy:2
.ya:2 ^el:-1
        """,
        "person": """
.el:-2 .en:-3 .es:4 .filed=person:2 .fits=attribute/person/:2 .se:-2 .su:-2 .vecin*:1 .y:-2
        """,
        "tool": """
.filed=tool:2 .fits=attribute/tool/:1
        """,
    },
    "fr": {
        "fact": """
$#:2 .a:2 .bien:2 .dans:2 .de:3 .des:2 .est:2 .est_#:1 .filed=fact:2 .le:3 .les:2 .me:2 .on:1 .par:3 .un:3 .à:3 ^le:2
        """,
        "plan": """
$#:2 $heures:2 .#:3 .a:2 .au:2 .de:-2 .du:2 .en:2 .filed=decision:1 .fits=decision/decision/decision:1 .heure*:2
.heures:2 .je_suis:2 .le:2 .le_#:1 .on:4 .pas:3 .suis:2 .à:-1 .à_la:-2 ^je_suis:2 ^on:2
        """,
        "decision": """
.#:-2 .au:2 .de:4 .en:-2 .j'ai:2 .le_#:-1 .les:-1 .on:-2 ^j'ai:2
        """,
        "tool": """
.#:2 .filed=tool:2
        """,
        "none": """
.#_s:1 .a:-3 .au:-2 .brest:1 .c'est:1 .ce:1 .de:-3 .des:-2 .est:-2 .filed=plan:2 .fits=commitment/plan/plan:2 .il:2
.je:1 .les:-2 .s:1 .sous:2 .voisi*:1 .à_brest:1 .à_la:2 .ça:3 .être:2 ^#:2 ^il:1 ^je:1 ^la:-2
        """,
        "event": """
.a:2 .filed=event:3 .fits=event/event/event:2 .le:-2 .sont:1 .vient:1 .été:2 ^la:2
        """,
        "lesson": """
.cette:2 .du:2 .en:-2 .est:-1 .filed=lesson:2 .final*:2 .jamai*:1 .jamais:1 .ne:2 .peut:2 .trois:2 .un:2 .venai*:2
.venait:2
        """,
        "preference": """
.de:-1 .filed=preference:3 .la:-1 .tout:2
        """,
        "person": """
.du:-2 .est:2 .et:2 .filed=event:-1 .filed=person:3 .fits=attribute/person/:2 .je:-2 .le_#:2 .moi:2
        """,
        "procedure": """
.fits=remember//:2 .la:2 .le:2 .se:3
        """,
    },
    "ja": {
        "decision": """
$した:1 .filed=decision:2 .fits=decision/decision/decision:2 .した:1 .す:-2
        """,
        "event": """
$した:2 $ました:2 .が:2 .く:-1 .げ:2 .し:1 .した:2 .しま:3 .す:-2 .た:1 .で:-2 .な:-1 .の:-2 .は:-2 .まし:2 .ました:2
.イ:2 .イン:2 .コ:2 .ン:2 .月:2 .月に:2
        """,
        "none": """
$した:-1 $します:2 $です:-3 $ました:-1 $ます:-2 $ります:-2 .#:-1 .#秒:2 .(:2 .):2 .e:-1 .f:-2 .filed=person:1
.fits=attribute/fact/lives_in:2 .t:-1 .u:-2 .い:4 .いつ:2 .いつも:2 .いで:1 .いです:2 .え:-1 .お:2 .から:-1 .が:-2
.けど:1 .げ:-2 .こ:2 .ころ:2 .し:3 .しい:2 .した:-2 .したら:-2 .して:2 .しま:2 .します:2 .す:-3 .そ:2 .た:2 .たよ:2
.たら:-1 .っ:2 .った:1 .つ:2 .つも:2 .て:-2 .で:-2 .でお:2 .です:-3 .とこ:2 .ところ:2 .に、:2 .に行:2 .ね:3 .の:-2
.ので:1 .は:-8 .は大:-1 .び:-2 .ま:-2 .も:2 .もの:2 .や:-2 .よね:2 .ら:-1 .らし:2 .り:-2 .ります:-2 .る:2 .れ:2 .れた:1
.ろ:2 .コ:-2 .ビ:1 .ファ:1 .ラ:-1 .ン:-4 .ー:-2 .三:-2 .五:-2 .人:2 .動:-2 .十:-2 .同:-2 .回:2 .大:-2 .子:-1 .学:-2
.日:-1 .書い:1 .月:-2 .期:-2 .本:-2 .来:-2 .無:2 .猫:-2 .生:-2 .社:-1 .秒:2 .行:2 .話:2 .誰:2 ^い:2 ^いつ:2
        """,
        "preference": """
$します:-2 .filed=preference:2 .お:-1 .が:3 .し:-1 .しま:-2 .します:-2 .だ:2 .っ:1 .て:-1 .で:2 .でお:-1 .な:2 .に:-2
.の:2 .は日:1 .は日本:1 .る:2 .れ:3 .れま:2 .んで:1 .メ:1 .日本:1 .日本語:1 .本語:1 .猫:3 .私:2 .語:2 .食:2 ^い:-1
^いつ:-1
        """,
        "plan": """
$です:2 $ます:-2 $ります:-1 .、:2 .い:-3 .え:2 .か:3 .から:3 .が:2 .せ:2 .だ:-2 .です:2 .な:-1 .に:2 .の:2 .の三:2
.ます:-2 .まで:2 .や:2 .ら:3 .ります:-2 .三:3 .三日:1 .九:1 .五:2 .会:2 .十:4 .回:2 .場:2 .所:2 .日:3 .日は:-2 .時:3
.曜:2 .書:1 .本:2 .父:2 .社:2 .義:2 .表:2 .送:2 .送り:2 .面:2 ^義:2
        """,
        "person": """
$です:3 .filed=person:-2 .fits=attribute/fact/lives_in:-2 .、:-2 .いう:1 .け:-1 .し:-3 .しい:-2 .じ:3 .っ:-1 .って:-2
.てい:2 .てる:2 .です:3 .と:3 .な:2 .の三:-1 .は:4 .び:2 .み:2 .や:-2 .ら:-2 .らし:-2 .り:-2 .れ:-1 .を:-2 .んで:-2
.ポ:1 .ン:3 .一:-2 .三:-2 .九:-1 .人:-1 .同:3 .回:-2 .大:2 .太:3 .姉:2 .学:2 .屋:-2 .期:2 .来:2 .無:-2 .父:-1 .生:2
.義:-1 ^姉:2 ^義:-1
        """,
        "fact": """
$ます:3 $ります:3 .filed=fact:2 .fits=remember//:1 .が:-4 .し:-2 .す:4 .た:-1 .だけ:1 .で:4 .です:2 .ではな:2 .と:-2
.は:3 .はな:2 .はなく:2 .は大:2 .ます:3 .や:1 .り:2 .りま:2 .ります:3 .る:-2 .ム:2 .ルー:2 .ワ:2 .五:-1 .大:2 .子:2
.家:2 .屋:3 .戸:2 .日は:2 .本:2 .行:-2 .金:2 ^本:3
        """,
        "procedure": """
$ます:2 .、:2 .あ:1 .お:1 .か:2 .から:2 .す:2 .ち:3 .って:1 .て:3 .てか:2 .てから:2 .の:2 .のが:2 .は:2 .は、:3 .ます:2
.や:2 .ら:1 .を:2
        """,
        "lesson": """
.#:2 .#で:2 .-:2 .-#:2 .c:2 .f:2 .fits=attribute/procedure/steps:1 .fits=preference/preference/instruction:1 .u:1 .ut:2
.いた:2 .き:2 .し:2 .した:2 .したら:3 .するこ:1 .ず:3 .た:2 .たら:4 .です:-1 .にし:2 .は:-2 .まり:1 .ら:3 .り:1 .を:2
.ィ:2 .エ:2 .グ:1 .ッ:1 .ラ:2 .ル:2 .ー:2 .ーの:2 .動:3 .消:2 .移:1 .空:1 .行:2 .読:2
        """,
        "tool": """
..:2 .a:2 .ar:1 .b:1 .d:2 .e:2 .h:1 .i:2 .n:2 .r:1
        """,
        "project": """
.「:3 .」:3 .」の:1 .」は:1 .ば:1 .中:1 .四:1 ^「:3
        """,
    },
    "zh": {
        "tool": """
.#:1
        """,
        "decision": """
.,:2 .,不:1 .,还:1 .filed=decision:1 .filed=fact:2 .filed=lesson:1 .fits=attribute/fact/employer:2
.fits=dead_end/lesson/result:2 .fits=decision/decision/decision:1 .上:2 .不:2 .了:4 .了,:2 .份:2 .去:1 .子:1 .工:2
.并:1 .房:2 .文件:1 .海:2 .用:2 .的:1 .租:2 .租了:2 .考:1 .还是:2 .选:2 .那:2 .锁:1 ^我:1
        """,
        "lesson": """
.,:2 .,不:-2 .c:2 .下:-1 .不:2 .个:2 .中:2 .了:2 .了,:-2 .了一:2 .加:2 .加了:2 .动:1 .原:1 .去:-2 .喝:2 .器:4 .常:2
.延:1 .找:1 .时:2 .机:1 .正:1 .正常:2 .没:4 .这:1 .迟:1 ^加:2
        """,
        "procedure": """
.,:3 .,再:2 .下:2 .下来:1 .供:1 .供应:1 .供应商:1 .先:2 .再:2 .发:2 .发给:1 .商:1 .应商:1 .新:1 .来:1 .等:2 .给:1 .表:2
.要:1
        """,
        "none": """
.,:-4 .filed=plan:2 .fits=commitment/plan/appointment:2 .fits=commitment/plan/deadline:2 .fits=commitment/plan/plan:2
.”,:2 .一:-3 .三:-3 .上:2 .下:-1 .不:-2 .了:-2 .五:-2 .会:2 .分:-1 .十:-3 .号:-2 .合:-2 .听:1 .器:-2 .在:-2 .家:-3
.小:-2 .州:-2 .年:-2 .我:-5 .日:2 .早:2 .是:-5 .月:-2 .期:2 .标:1 .民:-2 .水:-1 .火:-3 .的:-2 .说:2 .谢:1 .进:-2 .部:-2
.都:2 .钟:-1 .销:-2 .题:1 ^#:2 ^“:-2 ^我:-4 ^把:2 ^要:2
        """,
        "project": """
.e:1 .“:4 .”:4 .入:1 .在:1 .由:2 .进:1 .进入:2 .雀:2 ^“:3
        """,
        "person": """
.filed=person:3 .fits=attribute/person/:3 .fits=preference/preference/likes:1 .八:2 .十:2 .小:2 .年:2 .我:3 .是:2 .的:2
^小:2 ^我:2
        """,
        "fact": """
.fits=attribute/fact/employer:-2 .fits=remember//:2 .上:-3 .了:-4 .份:-2 .单:2 .合:2 .在:3 .州:3 .工:-2 .我的:2 .是:5
.海:-2 .码:1 .话:1 .那:-1 .部:2 .销:2 .门:2 ^我:2
        """,
        "plan": """
.fits=commitment/plan/appointment:-1 .fits=commitment/plan/deadline:-2 .三:2 .二:3 .会:-1 .假:2 .十:3 .去:2 .号:2 .周:2
.四:3 .我:1 .期:-2 .着:-2 .都:-2
        """,
        "preference": """
.一:2 .一律:2 .不:2 .住:1 .大:3 .家:2 .差:1 .律:2 .得:2 .成:2 .我觉:2 .我觉得:2 .换:2 .是:-2 .样:2 .民:3 .火:2 .真:2
.算:2 .觉:2 .觉得:2 .那:2 ^我觉:2
        """,
        "event": """
.一:2 .一次:2 .下:2 .不:-2 .了:2 .份:2 .全:2 .公:2 .公司:2 .分:2 .司:2 .在:-2 .地:2 .室:2 .店:2 .是:-2 .月:3 .次:2
.水:2 .火:2 .火,:2 .着:2 .调:2 .调到:2 .过:2 .进:2 .部:2 ^公:2 ^公司:2
        """,
    },
}
