"""Function words and light words of each language: what a query leaves out or weighs less."""

from __future__ import annotations

from functools import cache

from commonplace.language.text.tokenizer import stem_to_token
from commonplace.language.text.unicode import strip_accents

_FUNCTION_WORDS = {
    "en": """
        a about after again all also am an and any are arent as at be because been before being between both
        but by can cannot cant could couldnt did didnt do does doesnt doing dont each ever few for from
        further had hadnt has hasnt have havent having he her here hers him his how however i if im in into
        is isnt it its ive just know let lets like me more most my no nor not of off on once only or other
        our out over own please remember remind same shall she should show so some such tell than that thats
        the their theirs them then there these they theyre this those to too under until up upon us very was
        wasnt we were werent what whats when where which while who whom whose why will with wont would
        wouldnt yes you your youre yours""",
    "de": """
        aber alle als am an auch auf aus bei beim bin bis bist da damit dann das dass daß dein deine dem den
        denn der des dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem
        einen einer eines er es euch euer für gegen gibt hab habe haben hat hatte hatten hattest ich ihm ihn
        ihnen ihr ihre ihrem ihren im in ins ist ja jede jeder jetzt kann kein keine können man mein meine
        meinem meinen meiner mich mir mit muss nach nicht noch nur ob oder ohne schon sehr sein seine seit
        sich sie sind so soll über um und uns unser unsere unter vom von vor wann war waren warum was welche
        welchem welchen welcher welches wem wen wenn wer werde werden wie wieder wir wird wo wohin wurde
        würde zu zum zur zwischen erinnere sag sage erzähl erzähle bitte""",
    "fr": """
        ai aie as au aussi autre aux avait avec avez avoir avons ça car ce ces cet cette chez comme comment
        dans de depuis des dis dit donc dont du elle elles en entre es est et étaient était été être eu fait
        il ils je la le les leur leurs lui ma mais me même mes moi mon ne ni nos notre nous on ont or ou où
        par pas peu peut plus pour pourquoi qu quand que quel quelle quelles quels qui quoi sa sans se sera
        ses si son sont sous suis sur ta te tes toi ton tous tout toute très tu un une vers vos votre vous y
        rappelle dites parle""",
    "es": """
        a al algo algunos ante antes aquel como cómo con contra cuál cuales cuáles cuando cuándo de del
        desde dime donde dónde dos durante e el él ella ellas ellos en entre era eran es esa esas ese eso
        esos esta está están estas este esto estos fue fueron ha había han has hasta hay he la las le les lo
        los más me mi mí mis muy nada ni no nos nosotros o os otra otro para pero poco por porque qué que
        quién quien quiénes se sea ser será si sí sin sobre son soy su sus también tanto te tengo ti tiene
        tienen todo todos tu tú tus un una unas uno unos usted y ya yo recuerda recuérdame háblame""",
    "pt": """
        a à ao aos aquela aquele as às até com como da das de dela dele delas deles depois do dos e é ela
        elas ele eles em entre era eram essa esse esta está estão estas este eu foi foram há isso isto já
        lhe mais mas me mesmo meu meus minha minhas muito na não nas nem no nos nós nossa nosso num numa o
        onde os ou para pela pelas pelo pelos por porque porquê qual quais quando quê que quem são se seja
        sem ser será seu seus só sobre sua suas também te tem têm tenho ter teu teve tinha tu tua um uma uns
        você vocês diga lembre lembra fale""",
    "it": """
        a ad agli ai al alla alle allo anche aveva avevo che chi ci cosa così come con cui da dagli dai dal
        dalla dalle degli dei del dell della delle dello di dimmi dopo dove due e è ed era erano essere fa
        fra gli ha hai hanno ho i il in io la le lei li lo loro lui ma me mi mia mie miei mio molto ne negli
        nei nel nella nelle nello noi non nos nostra nostro o ogni per perché perche però più poi prima qual
        quale quali quando quanto quella quelle quello questa queste questo qui se sei senza si sia siamo
        sono sta stata stato su sua sue sugli sui sul sulla suo suoi ti tra tu tua tuo tutti tutto un una
        uno vi voi ricorda ricordami parlami""",
    "nl": """
        aan al alles als altijd ben bij daar dan dat de der deze die dit doen door dus een eens en er ge
        geen had hadden heb hebben heeft hem het hier hij hoe hun ik in is ja je jij jou jouw jullie kan
        kunnen maar me meer men met mij mijn moet na naar niet niets nog nu of om omdat onder ons onze ook
        op over te tegen toch toen tot u uit uw van vanaf veel voor waar waarom wanneer waren was wat we wel
        welk welke werd wie wij wil worden wordt ze zei zelf zich zij zijn zo zonder zou vertel herinner""",
    "ru": """
        а без более был была были было быть в вам вас ваш во вот все всё всего всех вы где да даже для до
        его ее её если есть еще ещё же за и из или им их к как какая какие какой ко когда кого кому кто куда
        ли меня мне мной мой моя мои мы на над надо нам нас наш не него нее неё нет ни них но ну о об он она
        они оно от по под после потом потому почему при про с сам себя со так такой там те тебе тебя тем то
        тогда того тоже той только том тот ты у уже чего чем что чтобы чья эта эти это этого этой этом этот
        я напомни расскажи скажи""",
    "sv": """
        alla allt att av bara blev bli blir da då där de dem den denna deras dess det detta dig din dina
        ditt du efter ej eller en er ert ett från för ha hade han hans har henne hennes hon honom hos hur
        här i icke in ingen inte ja jag kan kommer kunde man med mellan men mig min mina mitt mot mycket när
        någon något några ni nu och om oss på sedan sig sin sina sitt ska skall skulle som så till under upp
        ur ut utan vad var vara varför varit vem vi vid vilka vilken vilket vill är över berätta säg påminn""",
    "zh": """
        的 了 是 在 我 你 您 他 她 它 们 这 那 哪 吗 呢 吧 啊 和 与 也 都 就 而 及 或 被 把 给 对 从 到 有
        没 不 很 还 又 要 会 什么 怎么 怎样 怎么样 为什么 哪里 哪儿 哪个 哪些 谁 何时 何地 多少 几 时候
        什么时候 我们 你们 他们 她们 这个 那个 这里 那里 告诉 告诉我 提醒 提醒我 关于 请 请问 一下 一个 没有
        是否 可以 因为 所以 但是 如果""",
    "ja": """
        の は が を に で と も へ や か ね よ な だ これ それ あれ どれ この その あの どの ここ そこ
        あそこ どこ 何 なに なん 誰 だれ いつ なぜ どう どんな どうして いくら です ます でした ました
        ません だった する した して いる いた ある あった なる から まで より ので のに けど について
        という こと もの 私 わたし 僕 あなた 彼 彼女 教えて 教えてください ください 何ですか ですか ますか
        ましたか""",
    "ko": """
        은 는 이 가 을 를 의 에 와 과 도 로 으로 에서 에게 까지 부터 하고 하는 한 할 했다 했어 있다 있는
        있어 없다 이다 입니다 합니다 그 그리고 그러나 그런 저 저는 저의 나 나는 내 내가 나의 너 우리 이것
        그것 저것 여기 거기 어디 어디서 어디에 언제 누가 누구 무엇 무엇을 뭐 뭘 뭐야 왜 어떻게 어떤 얼마 몇
        것 수 대해 대한 관해 알려줘 알려 말해줘 말해 주세요""",
    "th": """
        ที่ และ ของ ใน เป็น คือ มี ไม่ ได้ ให้ จะ ก็ กับ แต่ หรือ ว่า นี้ นั้น ไหน ไป มา อยู่ แล้ว จาก โดย เพื่อ ถ้า
        เพราะ ฉัน ผม เรา คุณ เขา เธอ มัน พวก อะไร ทำไม อย่างไร ยังไง เมื่อไหร่ เมื่อไร ที่ไหน ใคร เท่าไร กี่ ไหม มั้ย
        ครับ ค่ะ คะ บอก ช่วย เกี่ยวกับ การ ความ""",
}  # fmt: skip

SPACED_LANGUAGES = (
    "en",
    "de",
    "fr",
    "es",
    "pt",
    "it",
    "nl",
    "sv",
    "ru",
)  # told apart by words; an earlier one wins a tie
STOP_WORD_LANGUAGES = tuple(sorted(_FUNCTION_WORDS))


def is_stop_word(word: str, language: str) -> bool:
    """Whether a word, as written in lower case or folded, is a function word; a language without a list has none."""
    return word in stop_words(language)


@cache
def stop_words(language: str) -> frozenset[str]:
    """The list of a language, as written and without accents."""
    words = function_words(language)
    return words | frozenset(map(strip_accents, words)) if language in SPACED_LANGUAGES else words


@cache
def function_words(language: str) -> frozenset[str]:
    """The list of a language, as written."""
    return frozenset(_FUNCTION_WORDS.get(language, "").split())


_LIGHT_WORDS = {
    "en": """
        day week month year time total number amount long often many much different kind type sort current currently
        recent recently ever spend spent take took taken get got go went gone make made use used feel felt really
        try tried give gave given look looking thing stuff lot way event activity
        previous previously back wonder""",
    "de": """
        tag woche monat jahr mal insgesamt anzahl zahl menge lange oft viele viel verschiedene art typ sorte aktuell
        derzeit kürzlich neulich jemals verbringen verbracht nehmen nahm genommen bekommen gehen ging gegangen machen
        gemacht tun getan benutzen benutzt fühlen wirklich versuchen geben gab gegeben ding sache weise""",
    "fr": """
        jour journée semaine mois an année fois total nombre quantité longtemps souvent beaucoup différent sorte type
        genre actuellement récemment jamais passer passé prendre pris obtenir aller allé faire fait utiliser utilisé
        sentir vraiment essayer donner donné regarder chose truc façon manière""",
    "es": """
        día semana mes año vez total número cantidad largo menudo muchos mucho diferente tipo clase actual actualmente
        recientemente nunca pasar tomar tomado conseguir ir ido hacer hecho usar usado sentir realmente tratar dar dado
        mirar cosa manera forma""",
    "pt": """
        dia semana mês ano vez total número quantidade muitas muito diferente tipo espécie atual atualmente
        recentemente nunca passar tomar tomado levar conseguir ir ido fazer feito usar usado sentir realmente tentar
        dar dado olhar coisa maneira forma""",
    "it": """
        giorno settimana mese anno volta totale numero quantità lungo spesso molti molto diverso tipo genere attuale
        attualmente recentemente mai passare prendere preso ottenere andare andato fare fatto usare usato sentire
        davvero provare dare dato guardare cosa modo""",
    "nl": """
        dag week maand jaar keer totaal aantal hoeveelheid lang vaak veel verschillende soort type huidige momenteel
        onlangs ooit besteden nemen nam genomen krijgen gaan ging gegaan maken gemaakt gebruiken gebruikt voelen echt
        proberen geven gaf gegeven ding manier""",
    "ru": """
        день неделя месяц год раз всего число количество долго часто много разный вид тип сорт текущий недавно
        когда-либо провести взять брать получить идти ходить делать сделать использовать чувствовать действительно
        попробовать дать давать вещь способ""",
    "sv": """
        dag vecka månad år gång totalt antal mängd länge ofta många mycket olika slag typ sort nuvarande nyligen
        någonsin tillbringa ta tog tagit få fick gå gick göra gjorde gjort använda använt känna verkligen försöka ge
        gav gett sak sätt""",
}


def is_light_word(word: str, language: str) -> bool:
    """Whether a word, folded, has the stem of a light word; a language without a list has none."""
    return stem_to_token(word, language) in _light_word_stems(language)


@cache
def _light_word_stems(language: str) -> frozenset[str]:
    words = _LIGHT_WORDS.get(language, "").split()
    return frozenset(stem_to_token(spelt, language) for word in words for spelt in (word, strip_accents(word)))
