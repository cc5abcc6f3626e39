"""What German, French, Spanish, Chinese and Japanese sentences of many kinds say, and which of them say nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from commonplace.extract import extract_claims, extract_triples

NOW = "2025-11-27T09:40"

GERMAN = """
tool | Der Druckdienst lauscht auf Port 9100.
tool | Die Wiki-Datenbank liegt auf db4.firma.lan.
tool | Die Logs landen unter /var/log/kasse.
tool | Grafana: http://10.1.2.3:3000
tool | Mailserver: mx.beispiel.at, Port 587, STARTTLS
fact | Ich wohne seit März in einer WG in Leipzig.
fact | Beruflich bin ich Schreinerin.
fact | Ich habe zwei Töchter und einen Dackel.
fact | Wir haben einen alten Volvo Kombi.
fact | Für später: der Ersatzschlüssel hängt hinter der Garderobe.
fact | Merk dir, dass die Kantine freitags um zwei schliesst.
fact | Aufgewachsen bin ich in einem Dorf bei Passau.
person | Mein Bruder studiert Jura in Graz.
person | Annika hat am 3. August Geburtstag.
person | Tante Hedwig verträgt keine Milch.
person | Die Handynummer von Jonas ist 0176 555 12.
person | Unser Vermieter heisst Brunner.
person | Korrektur: Ruths Nummer endet auf 44, nicht auf 45.
preference | Koriander geht bei mir gar nicht.
preference | Ich trinke meinen Kaffee schwarz.
preference | Bitte keine Emojis in den Antworten.
preference | Schreib Commit-Nachrichten immer auf Englisch.
preference | Mir ist Python lieber als Java.
preference | Von Paprika bekomme ich Ausschlag.
preference | Die neue Oberfläche ist meiner Meinung nach zu bunt.
preference | Auf Jazz stehe ich total.
decision | Wir nehmen doch die blaue Variante.
decision | Nach langem Hin und Her fiel die Wahl auf Svelte.
decision | Beschlossen: ab Januar nur noch ein Release pro Monat.
decision | Statt Jenkins setzen wir künftig auf Woodpecker.
plan | Am 12. Juni muss die Abrechnung raus.
plan | Ich kümmere mich bis Mittwoch um die Einladung.
plan | Nächsten Monat fange ich mit dem Führerschein an.
plan | Der Zahnarzttermin ist am Donnerstag um 14 Uhr.
plan | Doch nicht am Freitag, das Treffen ist am Samstag.
event | Letzte Woche ist meine Oma gestorben.
event | Unser Sohn kam gestern zur Welt.
event | Ich wurde zur Abteilungsleiterin befördert.
event | Seit Montag bin ich offiziell geschieden.
event | Gestern haben wir den Kaufvertrag fürs Haus unterschrieben.
project | Das Projekt Albatros ist auf Eis gelegt.
project | Albatros: das Projekt leitet jetzt Henrike.
lesson | Der Build schlug fehl, weil die Java-Version zu alt war; mit 21 läuft er.
lesson | Auch ein anderes Kabel hat das Flackern nicht behoben.
lesson | An der Firewall lag es nicht.
procedure | Um den Cache zu leeren, klickt man auf Zurücksetzen.
procedure | Zum Einspielen der Daten startet man erst den Importer.
"""
GERMAN_NOTHING = """
Wann kommst du morgen?
Hätte ich doch nur mehr Zeit!
Wenn der Server ausfällt, rufe ich dich an.
Ich bin gerade im Zug.
Mach das Fenster zu.
Der Chef hat gesagt, wir sollen früher anfangen.
Ich würde gern in Italien wohnen.
Heute regnet es den ganzen Tag.
Vielleicht kaufe ich mir mal ein Boot.
Ich habe Hunger.
Vielen Dank für die schnelle Antwort!
Alle Tests bestanden (42 in 3,1 s)
Im Buch steht: "Immer erst messen".
Ich lese jetzt die Konfigurationsdatei.
Kannst du dich an Peter erinnern?
Ich weiss nicht, ob wir das brauchen.
Nenn die Variable in count um.
Man müsste mal die Garage aufräumen.
Mein Nachbar soll im Lotto gewonnen haben.
Merk dir das bitte nicht.
"""
FRENCH = """
tool | Le cache Redis écoute sur le port 6390.
tool | Les sauvegardes sont dans /mnt/backup/nuit.
tool | hôte : pg.exemple.fr, port 5432
tool | On est passés à Node 22 sur tous les serveurs.
fact | J'habite un petit village près d'Annecy.
fact | Je suis sage-femme à la maternité de Metz.
fact | J'ai grandi à Dakar.
fact | On a deux chats et un potager.
fact | Note que le parking ferme à 22 h.
fact | Pour info, à retenir : le code du portail est 4471B.
person | Ma sœur travaille dans une banque à Genève.
person | L'anniversaire d'Hugo, c'est le 9 mai.
person | Mon fils est allergique aux arachides.
person | Nadia déteste le fromage.
person | Le numéro de Claire est le 06 11 22 33 44.
person | Ma voisine s'appelle Odette.
preference | Le café, je le prends sans sucre.
preference | Je suis végétarienne depuis dix ans.
preference | Les fruits de mer me rendent malade.
preference | Plus jamais de réponses en anglais, s'il te plaît.
preference | Ne mets pas d'émojis dans tes réponses.
preference | Mon film préféré reste Amélie.
preference | J'ai une préférence pour les réponses courtes.
preference | Selon moi, ce langage est surestimé.
preference | Toujours me demander avant de supprimer un fichier.
decision | C'est acté : le site passera sous Hugo.
decision | Nous avons retenu l'offre de l'agence lyonnaise.
decision | Après discussion, on garde PostgreSQL.
decision | On abandonne Angular au profit de Vue.
plan | Je dois rendre mon mémoire le 30 juin.
plan | Rendez-vous chez le dentiste mardi à 9 h.
plan | La facture est à payer avant le 15.
plan | On se marie en septembre.
plan | Je m'occupe des billets d'ici vendredi.
event | Mon grand-père est mort hier matin.
event | On vient d'acheter une maison à Brest.
event | Je me suis cassé le poignet au ski.
event | Ma fille a eu son bac avec mention !
event | J'ai signé mon CDI ce matin.
event | J'ai été licencié la semaine dernière.
project | Le projet Cigogne est dirigé par Inès.
project | Le projet Alouette a pris deux mois de retard.
lesson | Le build échouait à cause d'un lien symbolique cassé ; je l'ai recréé.
lesson | Augmenter la mémoire n'a servi à rien.
lesson | J'ai essayé de changer le pilote, sans résultat.
procedure | Pour réinitialiser la borne, appuyer dix secondes sur le bouton.
procedure | Les congés se demandent via le formulaire RH.
plan | Non, le rendez-vous est à 15 h, pas à 14 h.
tool | Erreur de ma part, le serveur s'appelle orion et non sirius.
"""
FRENCH_NOTHING = """
Tu viens demain ?
J'aimerais tellement vivre au bord de la mer.
Si le serveur tombe, je te préviens demain.
Je suis fatigué ce soir.
Il pleut depuis ce matin.
Ferme la fenêtre, s'il te plaît.
Le chef a dit qu'il fallait venir plus tôt.
Peut-être que j'achèterai un vélo un jour.
Merci pour ton aide, c'est très gentil.
Renomme cette fonction en calcul_total.
Sur la porte, il est écrit « Toujours frapper avant d'entrer ».
Je vais lire le fichier de configuration.
Je ne sais pas si on a besoin de ça.
12 tests réussis, 1 échec
Ça va, et toi ?
J'ai faim.
Ne retiens pas ça, c'est juste pour aujourd'hui.
Un de ces jours, il faudrait ranger le garage.
À tout à l'heure !
"""
SPANISH = """
tool | El servicio de correo escucha en el puerto 2525.
tool | Los registros se guardan en /var/log/tienda.
tool | La base de datos de pruebas corre en db2.interno.
tool | host: cola.ejemplo.es, puerto 5672
tool | Actualizamos el clúster a Kubernetes 1.30.
fact | Vivo en un piso pequeño en Granada.
fact | Soy enfermera en un hospital de Cádiz.
fact | Me crié en un pueblo de Soria.
fact | Tenemos dos perros y una tortuga.
fact | Ten en cuenta que la oficina cierra los viernes a las dos.
fact | Para que no se olvide: la llave de repuesto la tiene el conserje.
person | Mi hermana trabaja en un banco de Lima.
person | El cumpleaños de Lucas es el 8 de abril.
person | Mi hijo es alérgico al huevo.
person | A Teresa no le gustan las sorpresas.
person | El teléfono de Marta es el 600 11 22 33.
person | Mi vecino se llama Anselmo.
preference | El café lo tomo solo.
preference | Llevo años siendo vegetariana.
preference | El marisco me sienta fatal.
preference | No me pongas emojis en las respuestas.
preference | Quiero las respuestas cortas y en español.
preference | Mi película favorita es Volver.
preference | Para mí, las reuniones diarias son una pérdida de tiempo.
preference | Ante la duda, pregúntame siempre antes de borrar nada.
preference | Soy más de té que de café.
decision | Al final elegimos la oferta de la imprenta de Vigo.
decision | Queda decidido: el logo será verde.
decision | Descartamos Mongo y nos quedamos con Postgres.
decision | Hemos acordado publicar una versión al mes.
plan | Tengo que entregar la tesis el 30 de junio.
plan | Cita con el dentista el martes a las nueve.
plan | Nos casamos en septiembre.
plan | El lunes te mando el presupuesto.
plan | La renta hay que presentarla antes del 30.
event | Ayer falleció mi abuela.
event | Me han ascendido a jefa de equipo.
event | Mi hija ha sacado plaza en la universidad.
event | Nos acaban de entregar las llaves del piso.
event | Me rompí la muñeca esquiando.
event | Acabo de firmar el contrato con la editorial.
project | El proyecto Lince lo dirige Beatriz.
project | El proyecto Gaviota está parado por falta de fondos.
lesson | El error salía por un permiso mal puesto; con chmod 600 quedó resuelto.
lesson | Subir la memoria no sirvió de nada.
lesson | Probamos con otro driver, pero sigue fallando.
procedure | Para reiniciar la caldera se mantiene pulsado el botón rojo.
procedure | Las vacaciones se piden por el portal del empleado.
plan | No, la cita es a las cinco, no a las cuatro.
tool | Corrección: el servidor se llama júpiter, no saturno.
"""
SPANISH_NOTHING = """
¿Vienes mañana?
Ojalá viviera cerca del mar.
Si se cae el servidor, te aviso mañana.
Estoy cansado esta noche.
Llueve desde esta mañana.
Cierra la ventana, por favor.
El jefe dijo que teníamos que venir antes.
Quizá me compre una bici algún día.
Gracias por tu ayuda, muy amable.
Renombra esta función a calcular_total.
En la puerta pone «Llamar siempre antes de entrar».
Voy a leer el archivo de configuración.
No sé si necesitamos eso.
12 pruebas superadas, 1 fallida
Bien, ¿y tú?
Tengo hambre.
No guardes esto, es solo para hoy.
Un día de estos habría que ordenar el garaje.
¡Hasta luego!
"""
CHINESE = """
tool | 邮件服务监听 2525 端口。
tool | 备份都存在 /mnt/backup 下面。
tool | 测试库地址:db2.corp.lan:3306
tool | 生产环境的 Node 已经升到 22 了。
fact | 我住在苏州园区,租了个一居室。
fact | 我是中学语文老师。
fact | 我老家在哈尔滨。
fact | 我们家养了两只猫和一只乌龟。
fact | 记一下,停车场晚上十点关门。
fact | 我在浙大读博二,研究方向是材料。
person | 我弟弟在银行上班。
person | 小刘的生日是八月九号。
person | 我儿子对鸡蛋过敏。
person | 李姐不吃香菜。
person | 老张的电话是13800001111。
person | 我邻居叫吴明。
person | 我同桌周倩弹钢琴很厉害。
preference | 我喝咖啡从来不加糖。
preference | 我吃素好多年了。
preference | 一碰海鲜我就起疹子。
preference | 回复里不要用表情符号。
preference | 以后都用中文回答我。
preference | 我最喜欢的电影是《花样年华》。
preference | 我觉得每天开站会纯属浪费时间。
preference | 比起茶我更爱喝咖啡。
preference | 榴莲我实在受不了。
decision | 最后我们还是选了 PostgreSQL。
decision | 定下来了:logo 用绿色。
decision | 团队决定每月只发一个版本。
decision | 放弃 Angular,改用 Vue。
plan | 论文六月三十号必须交。
plan | 周二上午九点看牙医。
plan | 我们打算明年九月办婚礼。
plan | 周一我把报价发给你。
event | 奶奶昨天走了,享年九十二岁。
event | 我升部门经理了!
event | 女儿考上了北大。
event | 我们上周刚拿到新房的钥匙。
event | 我滑雪把手腕摔断了。
event | 今天早上我跟出版社签了合同。
project | 海鸥项目由林珊带。
project | 白鹭项目延期两个月。
lesson | 构建失败是软链接断了,重新建一个就好了。
lesson | 加内存也没用。
lesson | 换了个驱动试试,问题依旧。
procedure | 要重置门禁,长按按钮十秒。
procedure | 请假流程:在系统里填单,主管批了就行。
plan | 不对,牙医约的是五点,不是四点。
tool | 说错了,服务器叫 orion,不是 sirius。
"""
CHINESE_NOTHING = """
你明天来吗?
要是住在海边就好了。
如果服务器挂了,我明天通知你。
我今晚好累。
从早上一直下雨。
把窗户关上。
老板说我们得早点来。
也许哪天我会买辆自行车。
谢谢你的帮忙!
把这个函数改名为 calc_total。
门上写着“请先敲门”。
我先读一下配置文件。
不知道需不需要这个。
12 个测试通过,1 个失败
我挺好的,你呢?
肚子饿了。
这个不用记,就今天用一下。
哪天得收拾一下车库。
回头见!
"""
JAPANESE = """
tool | メールサービスはポート2525で待ち受けています。
tool | バックアップは /mnt/backup に保存されます。
tool | 検証DBのホスト: db2.corp.lan
tool | 本番のNodeは22に上げました。
fact | 名古屋の小さなアパートに住んでいます。
fact | 私は小学校の教員です。
fact | 出身は青森です。
fact | うちには猫が二匹います。
fact | 覚えておいて、駐車場は夜十時に閉まる。
fact | 大学院で材料工学を研究しています。
person | 弟は銀行で働いています。
person | 木村さんの誕生日は8月9日です。
person | 息子は卵アレルギーです。
person | 由美さんはパクチーが食べられません。
person | 高橋さんの電話番号は090-1111-2222です。
person | 隣人は大野さんといいます。
preference | コーヒーはいつもブラックです。
preference | もう十年ベジタリアンです。
preference | 海老を食べるとじんましんが出ます。
preference | 返信に絵文字は使わないでください。
preference | これからは日本語で答えてください。
preference | 一番好きな映画は「東京物語」です。
preference | 毎日の朝会は時間の無駄だと思う。
preference | 紅茶よりコーヒー派です。
preference | 満員電車がどうも苦手です。
decision | 最終的にPostgreSQLを採用することにしました。
decision | ロゴは緑に決定。
decision | リリースは月一回にすることで合意しました。
decision | AngularをやめてVueにします。
plan | 論文は6月30日までに提出しなければなりません。
plan | 火曜の9時に歯医者の予約があります。
plan | 来年の九月に結婚する予定です。
plan | 月曜に見積もりをお送りします。
event | 昨日、祖母が亡くなりました。
event | 課長に昇進しました!
event | 娘が東大に合格した。
event | 先週、新居の鍵を受け取りました。
event | スキーで手首を骨折しました。
event | 今朝、出版社と契約を結びました。
project | カモメ案件は林さんが担当しています。
project | シラサギプロジェクトは二か月遅れています。
lesson | ビルドが失敗したのはリンク切れのせいで、作り直したら通りました。
lesson | メモリを増やしても効果がなかった。
lesson | ドライバを入れ替えてみたけど、症状は同じ。
procedure | ゲートをリセットするには、ボタンを十秒長押しします。
procedure | 休暇の申請はポータルから行います。
plan | いえ、予約は五時です、四時ではありません。
tool | 訂正です、サーバー名は orion で、sirius ではありません。
"""
JAPANESE_NOTHING = """
明日来ますか?
海の近くに住めたらいいな。
もしサーバーが落ちたら明日連絡します。
今夜は疲れた。
朝から雨が降っている。
窓を閉めて。
部長が早く来いと言っていました。
いつか自転車を買うかもしれない。
手伝ってくれてありがとう!
この関数を calc_total に改名して。
ドアに「必ずノックしてください」と書いてある。
設定ファイルを読みます。
それが必要かどうか分からない。
12件成功、1件失敗
元気だよ、君は?
お腹が空いた。
これは覚えなくていいよ、今日だけだから。
そのうちガレージを片付けないと。
またね!
"""


def said(table: str, language: str) -> Iterator[tuple[str, str, str]]:
    """The rows of a table as (language, category, sentence)."""
    for row in table.strip().split("\n"):
        category, _, sentence = row.partition(" | ")
        yield language, category, sentence


def asserted() -> list[tuple[str, str, str]]:
    """Every sentence that says something."""
    tables = {"de": GERMAN, "fr": FRENCH, "es": SPANISH, "zh": CHINESE, "ja": JAPANESE}
    return [row for language, table in tables.items() for row in said(table, language)]


@pytest.mark.parametrize(("language", "category", "sentence"), asserted())
def test_a_sentence_is_read_as_what_it_says(language: str, category: str, sentence: str) -> None:
    found = extract_claims(sentence, speaker="Peter", now=NOW, language=language, include_uncertain=True)
    assert category in [claim.category for claim in found]
    assert {claim.category for claim in found} <= {category, "person"}


def test_the_stored_weights_keep_what_the_rules_read_rightly() -> None:
    """Of the sentences by which the rules are tested; none goes where it does not belong."""
    found = [
        (category, {claim.category for claim in extract_claims(text, speaker="Peter", now=NOW, language=language)})
        for language, category, text in asserted()
    ]
    assert all(filed <= {category, "person"} for category, filed in found)
    assert sum(category in filed for category, filed in found) > 0.85 * len(found)


@pytest.mark.parametrize(
    ("before", "after", "attribute"),
    [
        ("Der Port der Wiki-Datenbank ist 5440.", "Die Wiki-Datenbank läuft jetzt auf Port 5441.", "port"),
        ("Die Handynummer von Jonas ist 0176 555 12.", "Die Handynummer von Jonas lautet 0176 999.", "phone"),
        ("L'anniversaire d'Hugo, c'est le 9 mai.", "L'anniversaire d'Hugo est le 10 mai.", "birthday"),
        ("El servidor de pruebas escucha en el puerto 2525.", "El puerto del servidor de pruebas es 2526.", "port"),
        ("El cumpleaños de Lucas es el 8 de abril.", "El cumpleaños de Lucas es el 9 de abril.", "birthday"),
        ("小刘的生日是八月九号。", "小刘的生日是八月十号。", "birthday"),
        ("测试数据库的端口是3306。", "测试数据库端口改成3307了。", "port"),
        ("テストサーバーのポートは9000です。", "テストサーバーはポート9001で動いています。", "port"),
        ("木村さんの誕生日は8月9日です。", "木村さんの誕生日は8月10日です。", "birthday"),
    ],
)
def test_two_values_of_the_same_thing_have_one_key(before: str, after: str, attribute: str) -> None:
    (entity, name, old), *_ = extract_triples(before)
    assert name == attribute
    assert [key[:2] for key in extract_triples(after)] == [(entity, name)]
    assert old not in [key[2] for key in extract_triples(after)]


def silent() -> list[tuple[str, str]]:
    """Every sentence that says nothing worth keeping."""
    tables = {
        "de": GERMAN_NOTHING,
        "fr": FRENCH_NOTHING,
        "es": SPANISH_NOTHING,
        "zh": CHINESE_NOTHING,
        "ja": JAPANESE_NOTHING,
    }
    return [(language, row) for language, table in tables.items() for row in table.strip().split("\n")]


@pytest.mark.parametrize(("language", "sentence"), silent())
def test_what_passes_asks_supposes_or_orders_is_no_claim(language: str, sentence: str) -> None:
    assert extract_claims(sentence, speaker="Peter", now=NOW, language=language, include_uncertain=True) == ()
