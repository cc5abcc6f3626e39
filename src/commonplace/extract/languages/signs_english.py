"""Signs of what an English sentence is about: words by what they speak of, `*` for any ending, `_` for a blank."""

from __future__ import annotations

SIGNS: dict[str, str] = {
    "taste": """
        like likes love loves hate hates prefer* favourite* favorite* enjoy* dislike* adore* loathe* detest*
        can't_stand can't_bear allerg* intoleran* fond fan_of vegan vegetarian* taste rather crave* fancy addicted
        sweet_tooth can't_eat doesn't_eat don't_eat don't_drink doesn't_drink never_eat* yuck delicious cup_of_tea
        not_a_fan partial_to can't_do gluten lactose
    """,
    "opinion": """
        think thinks find reckon believe opinion view overrated underrated overkill too better worse best worst worth
        useless pointless ugly beautiful boring waste imo imho honestly personally clunky elegant bloated superior
        overpriced convinced if_you_ask_me to_my_mind
    """,
    "rule": """
        always never please don't from_now_on only no_more unless whenever every_time use avoid keep stop reply
        replies answer answers respond summar* emoji* bullet* format* tone short concise commit_messages call_me
        address_me going_forward in_future without_asking ask_me ask_before tell_me for_good
    """,
    "choice": """
        decide* agreed chose chosen choose opted settled picked instead switch* drop* ditch* scrap* going_with go_with
        went_with sticking_with stick_with final verdict voted rather_than no_longer replac* renew* cancel* adopt*
        reject* approved signed_off moving_to move_to we'll_use not_going dropping keep_using over_the
    """,
    "future": """
        will i'll we'll he'll she'll they'll going_to gonna tomorrow next due deadline by_friday by_monday by_the
        appointment booked scheduled promise* plan planning intend* until before due_on remind upcoming coming meeting
        call exam flight interview dentist wedding in_two_weeks visits leaves leaving arrives starts starting on_the
    """,
    "life": """
        married engaged divorced born died passed_away moved pregnant promoted promotion hired fired laid_off retired
        graduated adopted surgery broke broken accident stolen won lost bought sold joined quit resigned opened
        founded passed_my passed_her passed_his degree licence diploma finished baby twins house hospital diagnosed
        published finally first marathon citizenship visa offer got_the got_a lost_my split_up broke_up
    """,
    "past": """
        yesterday ago last_week last_month last_year last_night last_spring last_summer last_autumn last_winter was
        were had did got went came made took became this_morning just_got just_had back_in has_been used_to
    """,
    "kin": """
        mother mom mum father dad parents sister* brother* son daughter wife husband partner girlfriend boyfriend
        fiance* aunt uncle cousin niece nephew grandm* grandf* grandpa grandad granny boss manager colleague*
        coworker* teammate roommate flatmate neighbour* neighbor* friend doctor dentist therapist landlord landlady
        lawyer accountant teacher tutor mentor coach kids children mrs ms mr dr
    """,
    "other": "he she his her him hers he's she's their they",
    "self": "i i'm i've i'd my me mine myself",
    "us": "we we're we've our us ours",
    "being": """
        live lives living work works working study studies own owns drive drives speak speaks teach teaches years_old
        from based_in born_in grew_up degree_in play plays run_a runs_a have_two have_a have_three pronouns blood_type
        size commute rent renting vegetarian married single surname nickname
    """,
    "tech": """
        server* port ports host hostname database db api endpoint repo repository staging prod production cluster
        cache redis postgres* mysql sqlite log logs service bucket queue ci pipeline deploy* build url version config
        backup* vpn ssh domain vm container docker kubernetes k8s nginx proxy gateway node python token cert* webhook
        branch cron* app frontend backend kafka grafana prometheus jenkins gitlab github dashboard schema timeout
        rate_limit quota sdk cli kernel linux registry scheduler worker* disk instance firewall runner* router printer
        wifi nas websocket tls env retention replica* shard* memory cpu upload* request* limit
    """,
    "project": """
        project milestone release launch beta alpha roadmap sprint phase backlog rollout pilot prototype mvp app_store
        behind_schedule on_track on_hold paused parked frozen over_budget budget funded percent codename maintained
        lead_by led_by owned_by written_in open_source licen* users stakeholder* deliverable* launched shipped v1 v2
        rewrite redesign initiative programme workstream
    """,
    "fail": """
        error* fail* crash* bug* exception* timeout* timed_out leak* flak* outage* hang* hung panic* deadlock* refused
        denied corrupt* mismatch* oom segfault* stuck wrong missing problem issue broke slow 401 403 404 429 500 502
        503 504 stale conflict* garbled duplicate* freez* wouldn't couldn't won't
    """,
    "fix": """
        fixed fix fixes solved solves resolved cause caused culprit root_cause turned_out turns_out because due_to
        workaround worked works_again gone helped cured traced the_trick downgrad* upgrad* clearing deleting
        restarting adding setting rebuilding pinning since_then lesson went_away
    """,
    "vain": """
        tried didn't_help doesn't_help no_effect no_difference no_luck nothing still same in_vain useless dead_end
        didn't_work doesn't_work made_no not_the_cause ruled_out to_no_avail didn't_fix didn't_change waste_of_time
        won't_help either no_use gave_up
    """,
    "steps": """
        first then before after once step steps click press run open hold select submit fill file approv* via through
        procedure process by_running you_need_to you_have_to must need_to in_order_to how_to to_reset to_deploy
        to_release to_get goes_to goes_through go_to sign_off review* tag merge copy send_it hand_over checklist twice
        afterwards requires always_run whoever
    """,
    "place": """
        office building kitchen door lift key keys code contract policy insurance rent lease customer* supplier*
        invoice* bank account school gym shop garage parking bins hours opens closes floor entrance room desk address
        street alarm meter landlord tenant warranty subscription membership studio canteen boiler client vat tax
        company fridge spare locker gate bus train café cafe library team headquarters
    """,
    "note": """
        remember note for_the_record don't_forget keep_in_mind fyi bear_in_mind write_down jot memo make_a_note
        save_this for_future_reference pin_this log_this
    """,
    "amend": """
        no actually correction wrong mistake not instead changed it's_not i_meant sorry i_misspoke scratch_that rather
        used_to_be no_longer now update updated new_number scrap mixed_up
    """,
    "habit": """
        every usually always often weekly daily monthly mornings evenings sundays mondays fridays each regularly never
    """,
    "passing": """
        today now right_now maybe perhaps hope wish tired hungry weather rain traffic later soon bit moment minute lol
        haha thanks thank sorry great nice cool ok okay funny wow joke kidding guess
    """,
}
