"""Other words for a word: irregular forms, spellings, numbers, degrees, particles, variants, and hyponyms."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from commonplace.language.text.tokenizer import stem_to_token
from commonplace.language.text.unicode import strip_accents

# Forms that no ending tells. Left out: the commonest verbs (be, do, go, have, make …), which say little, and forms that
# are more often another word (left, saw, found, lay).
_IRREGULAR_FORMS = """
    mouse mice|goose geese|foot feet|tooth teeth|child children|person people|ox oxen|louse lice
    wolf wolves|knife knives|wife wives|life lives|leaf leaves|loaf loaves|shelf shelves|half halves|thief thieves
    calf calves|scarf scarves|elf elves|hoof hooves|wharf wharves|dwarf dwarves|self selves|sheaf sheaves
    criterion criteria|phenomenon phenomena|analysis analyses|crisis crises|thesis theses|diagnosis diagnoses
    hypothesis hypotheses|oasis oases|basis bases|cactus cacti|fungus fungi|nucleus nuclei|stimulus stimuli
    index indices|appendix appendices|matrix matrices|vertex vertices|curriculum curricula|bacterium bacteria
    woman women|man men|die dice|larva larvae|alumnus alumni|medium media
    buy bought|teach taught|catch caught|fight fought|seek sought|freeze froze frozen|sell sold|write wrote written
    choose chose chosen|fly flew flown|swim swam swum|drive drove driven|ride rode ridden|break broke broken
    speak spoke spoken|steal stole stolen|wake woke woken|wear wore worn|tear tore torn|swear swore sworn
    eat ate eaten|drink drank drunk|sing sang sung|ring rang rung|sink sank sunk|begin began begun|run ran
    throw threw thrown|grow grew grown|blow blew blown|draw drew drawn|build built|send sent|spend spent|lend lent
    bend bent|sleep slept|keep kept|sweep swept|weep wept|feed fed|breed bred|lead led|bleed bled|meet met|shoot shot
    hold held|sit sat|win won|dig dug|hang hung|stick stuck|strike struck|swing swung|spin spun|sting stung
    hide hid hidden|bite bit bitten|forget forgot forgotten|shake shook shaken|fall fell fallen|forgive forgave forgiven
    pay paid|lose lost|shine shone|slide slid|stand stood|understand understood|tell told|bring brought
    sew sewed sewn|sow sowed sown|prove proved proven|show showed shown|hear heard|forbid forbade forbidden|wed wedded
    lie lied lying|arise arose arisen|withdraw withdrew withdrawn|overtake overtook overtaken
    undergo underwent undergone
"""
# Short forms and the two ways of spelling English; left out are short forms that are more often another word (app, doc,
# min).
_SPELLING_VARIANTS = """
    doctor dr|professor prof|mother mom mum|father dad|grandmother grandma granny|grandfather grandpa|brother bro
    sister sis|husband hubby|family fam|television tv|telephone phone|photograph photo|bicycle bike
    motorcycle motorbike|refrigerator fridge|vegetable veggie|university uni|examination exam
    advertisement advert ad|information info|airplane aeroplane plane|laboratory lab|mathematics math maths
    veterinarian vet|kilometer kilometre km|kilogram kilo kg|pound lb lbs|hour hr hrs|apartment apt|appointment appt
    birthday bday|department dept|government govt|undergraduate undergrad|gymnasium gym|influenza flu
    comfortable comfy|barbecue barbeque bbq|favorite favourite fave|color colour|center centre|theater theatre
    gray grey|donut doughnut|pajamas pyjamas|yogurt yoghurt|jewelry jewellery|program programme|license licence
    defense defence|cozy cosy|neighbor neighbour|flavor flavour|honor honour|labor labour|behavior behaviour
    humor humour|organize organise|realize realise|recognize recognise|apologize apologise|traveler traveller
    counselor counsellor|fiber fibre|liter litre|meter metre|catalog catalogue|dialog dialogue|mold mould
    aluminum aluminium|repository repo|configuration config|documentation docs|specification spec|administrator admin
    authentication auth|database db|environment env|kubernetes k8s|message msg|package pkg|directory dir
    password passwd pwd|parameter param|postgresql postgres|approximately approx|continued cont|corporation corp
    january jan|february feb|april apr|august aug|september sept sep|october oct|november nov|december dec
"""
_IRREGULAR_DEGREES = "good better best|bad worse worst|far farther further farthest furthest"
# Adjectives whose degrees people mix: `a bigger car`, `the cheapest supplier`.
_GRADABLE_ADJECTIVES = """
    big hot thin fat wet sad fit slim flat red|
    cheap tall short small long old young new cold warm cool fast slow quick high low deep thick dark bright loud quiet
    clean smart strong weak hard soft rich poor sweet sharp fresh tight kind light near sick calm proud rough smooth
    mild green great tough steep cute late nice safe large wide close pale rare simple wise brave strange
    happy easy heavy busy dirty funny healthy angry hungry lazy lucky noisy pretty tidy spicy dry early friendly sunny
    rainy windy crazy tasty ugly wealthy cozy scary lonely messy
"""
# Small numbers, each at its place from 0 on.
_NUMBER_WORDS = {
    "en": """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
        seventeen eighteen nineteen twenty""",
    "de": """null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn
        siebzehn achtzehn neunzehn zwanzig""",
    "fr": """zero un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept
        dix-huit dix-neuf vingt""",
    "es": """cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis
        diecisiete dieciocho diecinueve veinte""",
    "pt": """zero um dois tres quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis dezessete
        dezoito dezenove vinte""",
    "it": """zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici
        diciassette diciotto diciannove venti""",
    "nl": """nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien
        zeventien achttien negentien twintig""",
    "sv": """noll ett tva tre fyra fem sex sju atta nio tio elva tolv tretton fjorton femton sexton sjutton arton
        nitton tjugo""",
    "ru": """ноль один два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать тринадцать
        четырнадцать пятнадцать шестнадцать семнадцать восемнадцать девятнадцать двадцать""",
}
_ORDINAL_WORDS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_TENS_WORDS = "thirty forty fifty sixty seventy eighty ninety hundred"
_ORDINAL_SUFFIXES = {1: "st", 2: "nd", 3: "rd"}
MIN_NUMBER_WORD = 2  # what is less is an article in most languages
_HEBREW_PARTICLES = ("ה", "ב", "ל", "מ", "ש", "כ", "ו", "וה", "מה", "שה")
_ARABIC_PARTICLES = ("ال", "وال", "بال", "كال", "فال", "لل", "و", "ب", "ل", "ف")
_ARABIC_ARTICLES = ("ال", "وال", "بال", "كال", "فال", "لل")
MIN_STEM_LETTERS = 3  # letters that must be left of a word without its particle
_KATAKANA_OFFSET = 0x60  # from a hiragana to the same katakana

# Characters that differ between the two ways of writing Chinese, in pairs: traditional, simplified.
_HAN_VARIANTS = (
    "萬万與与專专業业東东絲丝兩两嚴严喪丧個个豐丰臨临為为麗丽舉举麼么義义烏乌樂乐喬乔習习鄉乡書书買买亂乱爭争於于虧亏雲云"
    "亞亚產产畝亩親亲億亿僅仅從从倉仓儀仪們们價价眾众優优會会傘伞偉伟傳传傷伤倫伦偽伪體体傭佣俠侠侶侣偵侦側侧僑侨儉俭債债"
    "傾倾償偿儲储兒儿兌兑黨党蘭兰關关興兴養养獸兽內内岡冈冊册寫写軍军農农馮冯沖冲決决況况凍冻淨净涼凉減减湊凑鳳凤憑凭凱凯"
    "擊击劃划劉刘則则剛刚創创刪删別别劑剂劍剑劇剧勸劝辦办務务動动勵励勁劲勞劳勢势勻匀區区醫医華华協协單单賣卖盧卢衛卫卻却"
    "廠厂廳厅曆历歷历厲厉壓压廚厨廁厕縣县參参雙双發发變变敘叙葉叶號号歎叹嚇吓嗎吗啟启吳吴員员聽听嗚呜詠咏鹹咸響响啞哑嘩哗"
    "喚唤問问團团園园圍围國国圖图圓圆聖圣場场壞坏塊块堅坚壇坛壩坝墳坟墜坠壘垒牆墙殼壳壺壶處处備备復复夠够頭头誇夸夾夹奪夺"
    "奮奋獎奖奧奥婦妇媽妈姍姗嬌娇孫孙學学寧宁寶宝實实寵宠審审憲宪宮宫寬宽賓宾對对尋寻導导壽寿將将爾尔塵尘嘗尝屍尸盡尽層层"
    "屬属歲岁豈岂島岛嶺岭峽峡幣币帥帅師师帳帐簾帘幟帜帶带幫帮幹干廣广慶庆廬庐庫库應应廟庙龐庞廢废開开異异棄弃張张彌弥彎弯"
    "彈弹強强歸归當当錄录徹彻徑径禦御憶忆憂忧懷怀態态總总戀恋懇恳惡恶惱恼懸悬驚惊懼惧慘惨慣惯憤愤願愿懶懒戲戏戰战戶户撲扑"
    "執执擴扩掃扫揚扬擾扰撫抚拋抛搶抢護护報报擔担擬拟攏拢擁拥攔拦擇择掛挂摯挚揮挥撈捞損损撿捡換换據据擺摆攝摄攜携數数敵敌"
    "斷断無无舊旧時时曠旷曬晒曉晓暈晕暫暂術术機机殺杀雜杂權权條条來来楊杨極极構构槍枪櫃柜標标棧栈棟栋欄栏樹树樣样橋桥樺桦"
    "檔档夢梦檢检樓楼歐欧歡欢殘残毀毁畢毕氣气漢汉湯汤溝沟沒没滬沪淚泪潑泼澤泽潔洁灑洒濃浓濟济測测渾浑滅灭燈灯靈灵災灾爐炉"
    "點点煉炼爛烂煩烦燒烧熱热愛爱爺爷牽牵狀状猶犹獨独狹狭獅狮獄狱貓猫獻献環环現现電电畫画暢畅療疗瘋疯癢痒痺痹皺皱盤盘監监"
    "蓋盖盜盗睜睁礦矿碼码磚砖礎础確确禮礼禪禅離离種种積积稱称穩稳窮穷竊窃竅窍窗窗競竞筆笔筍笋築筑簡简簽签籃篮籠笼類类糧粮"
    "緊紧糾纠紅红約约級级紀纪純纯紗纱納纳縱纵紛纷紙纸紋纹紡纺線线練练組组紳绅細细織织終终紹绍經经結结繞绕繪绘給给絡络絕绝"
    "統统絹绢繼继績绩緒绪續续綿绵維维網网綠绿編编緣缘緩缓縮缩繳缴罷罢羅罗罰罚職职聯联聰聪腦脑脫脱腳脚臉脸臘腊膚肤腎肾腫肿"
    "膽胆勝胜艦舰艙舱藝艺節节蘆芦蘇苏蘋苹範范莊庄薑姜藥药蓮莲獲获薦荐藍蓝蕭萧薩萨蝦虾蟲虫雖虽蟻蚁螞蚂補补襯衬襪袜襲袭裝装"
    "褲裤見见觀观規规視视覺觉覽览觸触訂订計计認认討讨讓让訓训議议訊讯記记講讲許许論论設设訪访證证評评識识訴诉診诊詞词譯译"
    "試试詩诗誠诚話话誕诞詢询該该詳详語语誤误說说請请諸诸課课誰谁調调談谈謀谋謎谜謝谢謊谎譜谱豬猪貝贝負负財财責责賢贤敗败"
    "貨货質质販贩貪贪貧贫購购貫贯貴贵貸贷貿贸費费賀贺賊贼資资賴赖賺赚賽赛贈赠贏赢趙赵趕赶躍跃踐践蹤踪車车軌轨轉转輪轮軟软"
    "輕轻載载較较輔辅輛辆輩辈輝辉輸输轎轿辭辞辯辩邊边達达遷迁過过邁迈運运還还這这進进遠远違违連连遲迟適适選选遜逊遞递邏逻"
    "遺遗郵邮鄰邻鄭郑醬酱釀酿釋释裡里裏里鑒鉴針针釘钉釣钓鈣钙鈔钞鐘钟鋼钢鑰钥鉤钩錢钱鑽钻鐵铁鈴铃鉛铅銀银鋪铺鏈链鎖锁鍋锅"
    "鏡镜鎮镇長长門门閃闪閉闭閒闲間间悶闷鬧闹聞闻閱阅闊阔隊队陽阳陰阴陣阵階阶際际陸陆陳陈險险隨随隱隐難难雞鸡霧雾靜静韓韩"
    "頁页頂顶項项順顺須须頑顽顧顾頓顿頒颁預预領领頗颇頸颈頻频題题顏颜額额顛颠風风颱台飄飘飛飞飯饭飲饮飾饰飽饱餃饺餅饼餓饿"
    "館馆饅馒馬马馳驰駁驳驢驴駛驶駐驻駕驾罵骂驕骄騎骑騙骗驗验魚鱼鮮鲜鯨鲸鳥鸟鴨鸭鴿鸽鵝鹅鷹鹰麥麦黃黄齊齐齒齿齡龄龍龙龜龟"
    "護护檯台臺台灣湾髮发鬆松後后麵面籤签罐罐錶表鐘钟週周鹽盐滷卤滾滚濕湿燙烫燭烛牙牙備备份份"
)


def irregular_word_forms(word: str) -> tuple[str, ...]:
    """The other forms of an English word that no ending tells: `bought`, `Dr.`, `colour`; of an inflected one too."""
    groups = _irregular_form_groups()
    for base in (word, *_regular_bases(word)):
        if base in groups:
            return tuple(form for form in groups[base] if form != word)
    return ()


def equivalent_forms(word: str, languages: tuple[str, ...]) -> tuple[str, ...]:
    """What else says the same, where a word itself is never said: a small number in figures or in words (`3`, `three`,
    `2nd`, `second`), another degree of an English adjective (`bigger`)."""
    spoken = languages if word[:1].isdigit() else _NUMBER_WORDS
    counted = (other for name in spoken for other in _number_variants(name).get(word, ()))
    degrees = _adjective_degree_groups().get(word, ()) if "en" in languages else ()
    return tuple(other for other in (*counted, *degrees) if other != word)


def particle_forms(word: str) -> tuple[str, ...]:
    """A Hebrew or Arabic word with and without the particles that are written on to it."""
    if not word or not "\u0590" <= word[0] <= "\u06ff":
        return ()
    particles = _HEBREW_PARTICLES if word[0] < "\u0600" else _ARABIC_PARTICLES
    bare = (word[len(one) :] for one in particles if word.startswith(one) and len(word) - len(one) >= MIN_STEM_LETTERS)
    return tuple(dict.fromkeys(form for stem in (word, *bare) for form in (stem, *(one + stem for one in particles))))


def strip_particle(word: str) -> str:
    """An Arabic word without its article, as other forms of it begin; any other word as it is."""
    article = next((one for one in _ARABIC_ARTICLES if word.startswith(one)), "")
    return word[len(article) :] if len(word) - len(article) >= MIN_STEM_LETTERS else word


def character_variants(word: str) -> tuple[str, ...]:
    """A run in the other kana, in simplified and in traditional characters."""
    simplified, traditional = _han_translation_tables()
    forms = (word.translate(simplified), word.translate(traditional), _to_katakana(word), _to_hiragana(word))
    return tuple(form for form in dict.fromkeys(forms) if form != word)


def _regular_bases(word: str) -> Iterator[str]:
    """What a regular ending may have been put on to: `drives`, `driving`, `swimming`."""
    for ending in ("ing", "s"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 1:
            yield from (stem, stem + "e")
            if stem[-1] == stem[-2]:
                yield stem[:-1]
    if word.endswith("ies"):
        yield word[:-3] + "y"


@cache
def _irregular_form_groups() -> dict[str, tuple[str, ...]]:
    lines = (_IRREGULAR_FORMS + _SPELLING_VARIANTS).split("\n")
    groups = [tuple(group.split()) for line in lines for group in line.split("|") if group.strip()]
    return {form: group for group in groups for form in group}


@cache
def _adjective_degree_groups() -> dict[str, tuple[str, ...]]:
    """All degrees of an adjective by each of them."""
    doubled, plain = (part.split() for part in _GRADABLE_ADJECTIVES.split("|"))
    groups = [tuple(group.split()) for group in _IRREGULAR_DEGREES.split("|")]
    groups += [(word, *_regular_degrees(word + word[-1])) for word in doubled]
    groups += [(word, *_regular_degrees(word)) for word in plain]
    return {form: group for group in groups for form in group}


def _regular_degrees(word: str) -> tuple[str, str]:
    stem = word.removesuffix("e")
    stem = stem[:-1] + "i" if stem.endswith("y") else stem
    return stem + "er", stem + "est"


@cache
def _number_variants(language: str) -> dict[str, tuple[str, ...]]:
    """What stands for a number's word or its figures in a language, folded."""
    said = dict(enumerate(_NUMBER_WORDS.get(language, "").split()))
    pairs = [(word, str(number)) for number, word in said.items() if number >= MIN_NUMBER_WORD]
    if language == "en":
        pairs += [(word, str(10 * place)) for place, word in enumerate(_TENS_WORDS.split(), 3)]
        pairs += [
            (word, f"{place}{_ORDINAL_SUFFIXES.get(place, 'th')}")
            for place, word in enumerate(_ORDINAL_WORDS.split(), 1)
        ]
    return {one: (other,) for pair in pairs for one, other in (pair, pair[::-1])}


@cache
def _han_translation_tables() -> tuple[dict[int, str], dict[int, str]]:
    """Tables to simplified and to traditional characters; of several traditional ones the first."""
    pairs = [(_HAN_VARIANTS[at], _HAN_VARIANTS[at + 1]) for at in range(0, len(_HAN_VARIANTS), 2)]
    return {ord(a): b for a, b in pairs}, {ord(b): a for a, b in reversed(pairs)}


def _to_katakana(word: str) -> str:
    return "".join(chr(ord(char) + _KATAKANA_OFFSET) if "ぁ" <= char <= "ゖ" else char for char in word)


def _to_hiragana(word: str) -> str:
    return "".join(chr(ord(char) - _KATAKANA_OFFSET) if "ァ" <= char <= "ヶ" else char for char in word)


# Names of a sort, a colon, what is of it. Every sort of place goes by `where` too.
_HYPONYMS = {
    "en": """
        activity hobby pastime leisure recreation sport exercise workout: hiking camping swimming running jogging
            cycling biking climbing fishing sailing surfing skiing snowboarding skating kayaking canoeing rowing dancing
            yoga pilates boxing basketball football soccer tennis baseball volleyball golf hockey rugby cricket
            badminton marathon karate judo gymnastics|
        activity hobby pastime leisure recreation: painting drawing reading cooking baking gardening singing knitting
            sewing pottery photography chess puzzle picnic volunteering writing crafts guitar piano birdwatching
            meditation|
        food meal dish cuisine snack dessert recipe: pizza pasta lasagna salad soup sandwich burger chicken beef pork
            salmon steak rice noodles sushi taco curry bread cake cookie pie chocolate cheese egg bacon tofu pancake
            muffin stew potato fruit vegetable|
        meat: vegetarian vegan|
        change: stopped started began quit switched moved left joined cancelled canceled replaced became decided instead
            anymore|
        fruit: apple banana orange strawberry blueberry grape mango peach pear cherry lemon melon|
        nut: almond cashew hazelnut peanut pecan pistachio walnut|
        meat: beef pork chicken lamb turkey bacon ham sausage steak|
        seafood: salmon tuna cod shrimp prawn crab lobster mussels oyster|
        dairy: milk cheese yogurt butter cream|
        vegetable: tomato carrot potato broccoli spinach lettuce onion pepper cucumber bean pea cabbage|
        drink beverage: coffee tea beer wine juice water soda milk cocktail smoothie whiskey lemonade|
        pet animal: dog cat puppy kitten turtle fish bird hamster rabbit horse snake lizard parrot ferret goat|
        animal: cow sheep pig duck bear deer wolf fox elephant lion tiger monkey|
        book: novel story fiction memoir poetry biography trilogy|
        movie film: comedy thriller drama documentary cartoon western|
        music: song album concert band jazz rock pop classical blues opera guitar piano violin drums|
        instrument: guitar piano violin drums flute clarinet saxophone trumpet cello ukulele bass keyboard harp banjo|
        art: painting drawing sculpture pottery watercolor sketch mural portrait photography|
        country nation where: england britain uk scotland ireland wales france italy spain portugal germany austria
            switzerland netherlands belgium denmark sweden norway finland iceland poland russia ukraine greece turkey
            egypt morocco kenya israel india china japan korea thailand vietnam indonesia philippines australia zealand
            canada mexico brazil argentina chile peru usa america|
        state where: california texas florida oregon nevada arizona utah colorado minnesota michigan ohio illinois
            virginia carolina tennessee massachusetts vermont alaska hawaii|
        city town where: london paris rome tokyo boston chicago seattle francisco angeles york barcelona madrid lisbon
            berlin munich vienna zurich amsterdam brussels copenhagen stockholm oslo dublin prague budapest athens
            istanbul sydney melbourne toronto vancouver montreal miami dallas austin denver philadelphia atlanta beijing
            shanghai singapore mumbai delhi|
        place location where: park beach museum mountain lake forest cafe restaurant castle island river library|
        family relative: mother father sister brother son daughter kid child wife husband aunt uncle cousin
            grandmother grandfather parent nephew niece|
        friend: buddy pal colleague teammate neighbor classmate roommate|
        job career profession occupation: engineer teacher doctor nurse lawyer developer programmer designer manager
            writer artist chef counselor consultant accountant scientist journalist architect mechanic photographer|
        boss: manager supervisor|
        subject major degree: math physics chemistry biology history literature psychology economics engineering law
            medicine business|
        school education: class course exam teacher student college university lecture homework|
        illness disease condition injury: diabetes asthma allergy cancer flu cold fever headache migraine arthritis
            ulcer infection fracture sprain concussion surgery pain ankle knee|
        health: doctor hospital diet weight exercise medicine illness pain surgery checkup|
        vehicle: car truck van motorcycle bus bicycle|
        vehicle car: jeep suv toyota honda ford tesla bmw|
        travel trip vacation: flight hotel airport tour beach mountains road|
        clothes clothing outfit: dress shirt shoes hat jacket coat jeans skirt scarf sweater suit sneakers boots|
        gift present: necklace ring bracelet watch flowers book card toy|
        jewelry: necklace ring bracelet earrings pendant|
        device gadget: phone laptop computer tablet camera headphones console|
        game: chess poker monopoly scrabble nintendo playstation xbox minecraft tetris|
        flower plant: rose sunflower tulip daisy lily orchid succulent cactus fern basil|
        tree: oak maple pine birch willow cedar|
        nature outdoors: forest mountain lake river beach trail sunset hike|
        color: red blue green yellow purple orange pink black white brown gray|
        event celebration: wedding birthday party parade concert conference festival workshop ceremony tournament
            fundraiser gala race graduation anniversary|
        charity community: shelter fundraiser volunteer donate nonprofit homeless|
        achievement success: won award medal trophy record promotion graduated|
        challenge struggle problem setback: hard tough difficult lost broke failed stuck injury|
        trait: kind caring honest brave patient strong passionate determined generous funny|
        emotion: happy sad proud excited nervous anxious angry scared lonely grateful|
        marriage: wedding bride groom wife husband engaged married|
        religion: church god pray mosque temple synagogue buddhist christian jewish muslim catholic|
        politics: election vote president party government campaign|
        money finance: pay salary budget loan debt savings rent price|
        season: spring summer autumn winter|
        holiday: christmas thanksgiving easter halloween hanukkah|
        weather: rain snow sun storm wind cloud|
        language: english spanish french german italian japanese chinese portuguese korean arabic python javascript
            typescript java rust ruby kotlin php|
        furniture: chair table sofa couch bed desk dresser shelf|
        database: postgres postgresql mysql sqlite mongodb redis mariadb dynamodb|
        cloud: aws azure gcp heroku|
        editor: vim neovim emacs vscode|
        browser: firefox chrome safari|
        framework: django flask fastapi rails react vue angular svelte""",
    "de": """
        hobby freizeit sport sportart aktivität: wandern schwimmen laufen joggen radfahren klettern angeln segeln
            tanzen yoga fußball tennis basketball handball volleyball reiten malen zeichnen lesen kochen backen gärtnern
            singen stricken nähen töpfern fotografieren schach gitarre klavier|
        fleisch: vegetarier vegetarisch vegan|
        änderung veränderung geändert verändert: aufgehört angefangen begonnen gekündigt gewechselt umgezogen ersetzt
            entschieden beschlossen stattdessen|
        essen gericht speise mahlzeit rezept: pizza nudeln salat suppe brot kuchen käse ei schokolade reis kartoffel
            hähnchen rind lachs wurst gemüse obst|
        getränk: kaffee tee bier wein saft wasser milch limonade|
        haustier tier: hund katze welpe kätzchen schildkröte fisch vogel hamster kaninchen pferd schlange papagei|
        instrument: gitarre klavier geige schlagzeug flöte klarinette saxophon trompete cello bass harfe|
        land: england frankreich italien spanien portugal deutschland österreich schweiz niederlande belgien dänemark
            schweden norwegen finnland polen russland griechenland türkei indien china japan australien kanada mexiko
            brasilien|
        familie verwandte: mutter vater schwester bruder sohn tochter kind ehefrau ehemann tante onkel oma opa|
        beruf job: ingenieur lehrer arzt krankenschwester anwalt programmierer koch künstler wissenschaftler|
        krankheit verletzung: diabetes asthma allergie krebs grippe erkältung fieber migräne infektion schmerz|
        fahrzeug: auto lkw motorrad bus fahrrad|
        kleidung: kleid hemd schuhe hut jacke mantel jeans rock schal pullover anzug stiefel|
        farbe: rot blau grün gelb lila orange rosa schwarz weiß braun grau|
        feier fest veranstaltung: hochzeit geburtstag party konzert konferenz festival turnier abschluss|
        jahreszeit: frühling sommer herbst winter|
        sprache: englisch spanisch französisch deutsch italienisch japanisch chinesisch""",
    "fr": """
        loisir sport activité: randonnée natation course vélo escalade pêche voile danse yoga football tennis basket
            ski peinture dessin lecture cuisine jardinage chant couture poterie photographie échecs guitare piano|
        viande: végétarien végétarienne végane|
        changement changé: arrêté commencé quitté déménagé remplacé décidé annulé désormais|
        plat repas nourriture recette: pizza pâtes salade soupe pain gâteau fromage œuf chocolat riz poulet bœuf saumon|
        boisson: café thé bière vin jus eau lait limonade|
        animal: chien chat chiot chaton tortue poisson oiseau hamster lapin cheval serpent perroquet|
        instrument: guitare piano violon batterie flûte clarinette saxophone trompette violoncelle harpe|
        pays: angleterre france italie espagne portugal allemagne autriche suisse belgique danemark suède norvège
            pologne russie grèce turquie inde chine japon australie canada mexique brésil|
        famille parent: mère père sœur frère fils fille enfant femme mari tante oncle cousin|
        métier profession travail: ingénieur professeur médecin infirmier avocat développeur cuisinier artiste|
        maladie blessure: diabète asthme allergie cancer grippe rhume fièvre migraine infection douleur|
        véhicule: voiture camion moto bus vélo|
        vêtement: robe chemise chaussure chapeau veste manteau jean jupe écharpe pull costume botte|
        couleur: rouge bleu vert jaune violet orange rose noir blanc brun gris|
        fête événement: mariage anniversaire concert conférence festival tournoi|
        saison: printemps été automne hiver|
        langue: anglais espagnol français allemand italien japonais chinois""",
    "es": """
        afición pasatiempo deporte actividad: senderismo natación correr ciclismo escalada pesca vela baile yoga fútbol
            tenis baloncesto esquí pintura dibujo lectura cocina jardinería canto costura cerámica fotografía ajedrez
            guitarra piano|
        carne: vegetariano vegetariana vegano vegana|
        cambio cambiado: dejado empezado mudado decidido cancelado reemplazado|
        comida plato receta: pizza pasta ensalada sopa pan pastel queso huevo chocolate arroz pollo carne salmón|
        bebida: café té cerveza vino zumo jugo agua leche limonada|
        mascota animal: perro gato cachorro gatito tortuga pez pájaro hámster conejo caballo serpiente loro|
        instrumento: guitarra piano violín batería flauta clarinete saxofón trompeta violonchelo arpa|
        país: inglaterra francia italia españa portugal alemania austria suiza bélgica dinamarca suecia noruega polonia
            rusia grecia turquía india china japón australia canadá méxico brasil argentina chile perú|
        familia pariente: madre padre hermana hermano hijo hija niño esposa marido tía tío primo|
        profesión trabajo: ingeniero profesor médico enfermero abogado programador cocinero artista|
        enfermedad lesión: diabetes asma alergia cáncer gripe resfriado fiebre migraña infección dolor|
        vehículo: coche camión moto autobús bicicleta|
        ropa: vestido camisa zapato sombrero chaqueta abrigo falda bufanda suéter traje bota|
        color: rojo azul verde amarillo morado naranja rosa negro blanco marrón gris|
        fiesta evento: boda cumpleaños concierto conferencia festival torneo|
        estación: primavera verano otoño invierno|
        idioma: inglés español francés alemán italiano japonés chino""",
}


def hyponym_tokens(word: str, language: str) -> tuple[str, ...]:
    """The tokens that lines may hold of the sort that a folded word names; none where it names none, and where there is
    no list of its language."""
    named = _hyponyms_by_stem(language).get(stem_to_token(word, language), ())
    return tuple(dict.fromkeys(token for words in named for token in _stem_hyponyms(words, language)))


@cache
def _hyponyms_by_stem(language: str) -> dict[str, tuple[str, ...]]:
    """By the stem of a name, what is of each sort that goes by it."""
    found: dict[str, tuple[str, ...]] = {}
    for entry in _HYPONYMS.get(language, "").split("|"):
        names, _, words = entry.partition(":")
        for name in dict.fromkeys(
            stem_to_token(spelt, language) for one in names.split() for spelt in _accent_variants(one)
        ):
            found[name] = (*found.get(name, ()), words)
    return found


@cache
def _stem_hyponyms(words: str, language: str) -> tuple[str, ...]:
    others = (other for word in words.split() for other in (irregular_word_forms(word) if language == "en" else ()))
    return tuple(
        dict.fromkeys(
            stem_to_token(spelt, language) for word in (*words.split(), *others) for spelt in _accent_variants(word)
        )
    )


def _accent_variants(word: str) -> Iterator[str]:
    yield word
    yield strip_accents(word)
