import type { Intent } from './schema.ts'

/** Folded text: lower case, without accents, `ß` as `ss`, straight apostrophes, single spaces. */
export const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replace(/[’‘`´]/g, "'")
    .replace(/\s+/g, ' ')
    .trim()

/** Characters of a sentence that rules read. The beginning says what a text is for. */
const read = 600

/** Greetings and polite openings, which say nothing about the request. */
const openings =
  /^(?:(?:hi|hello|hey|hallo|bonjour|salut|hola|ciao|ola|oi)(?: \p{L}{1,20})?[,!] ?|(?:please|bitte|s'il (?:te|vous) plait|por favor|per favore|请|麻烦)[,，]? ?|(?:can|could|would|will) you (?:please )?(?!eat|drink|get|see|hear|be\b)|i(?:'d like| want| need) you to |(?:kannst|konntest|wurdest) du (?:bitte |mir )?|(?:peux|pourrais)-tu |tu peux |(?:puedes|podrias) |(?:puoi|potresti) |(?:podes|pode|poderias) |[¿¡"'«“] ?)+/u

/** A cue: any of the alternatives as whole words. Scripts without spaces are given as `wide`. */
function cue(words: string, wide = ''): RegExp {
  const spaced = `(?<![\\p{L}\\p{N}])(?:${oneLine(words)})(?![\\p{L}\\p{N}])`
  return new RegExp(wide ? `${spaced}|${oneLine(wide)}` : spaced, 'u')
}

/** A cue at the beginning. */
function opens(words: string, wide = ''): RegExp {
  const spaced = `^(?:${oneLine(words)})(?![\\p{L}\\p{N}])`
  return new RegExp(wide ? `${spaced}|^(?:${oneLine(wide)})` : spaced, 'u')
}

const oneLine = (alternatives: string) =>
  alternatives
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('|')

const asks = new RegExp(
  `[?？]$|${
    opens(
      `what|what's|who|who's|why|when|where|which|how|is|are|was|were|does|did|do|has|have|can|could|should|will|would|explain
    was|wer|wie|wo|warum|wann|welche[rsnm]?|ist|sind|gibt es|hat|kann|erklare
    que|qu'est-ce|quel(?:le)?s?|qui|pourquoi|comment|combien|ou|est-ce|explique
    que|cual(?:es)?|quien(?:es)?|por que|como|cuant[oa]s?|donde|cuando|explica
    qual|quali|chi|perche|come|quant[oiae]|dove|quando|cosa|che cosa|spiega
    quais|quem|quantos|quantas|quanto|onde|o que|explica`,
      '为什么|什么|谁|哪|怎么|如何|多少',
    ).source
  }|(?:ですか|ますか|でしょうか|のか|は何|なぜ|どうして|どこ|誰|いつ|いくら)[。]?$|なぜ|どうして|(?:吗|呢|什么|多少|哪里|哪儿|谁|几)[。]?$|什么|多少|为什么|怎么|是谁|谁写`,
  'u',
)

const weekday = `monday|tuesday|wednesday|thursday|friday|saturday|sunday`
const period = `second|minute|hour|day|morning|afternoon|evening|night|week|weekday|weekend|month|quarter|year|${weekday}`
const number = `\\d{1,4}|a|an|one|two|three|four|five|six|seven|eight|nine|ten|fifteen|twenty|thirty|forty|half an`

const remind = cue(
  `remind (?:me|us)|(?:set|create|add) a (?:reminder|timer)|wake (?:me|us)|set (?:an|the|my) alarm
  erinnere? (?:mich|uns)|weck(?:e|t)? (?:mich|uns)|wecker
  rappelle[sz]?-(?:moi|nous)|rappelle[sz]? moi|reveille[sz]?-moi|mets un (?:reveil|rappel|minuteur)
  recuerda(?:me|nos)|avisame (?:en|manana|dentro)|despiertame|pon (?:una alarma|un recordatorio)
  ricorda(?:mi|ci)|svegliami|(?:metti|imposta) (?:una sveglia|un promemoria|un timer)
  lembr[ae]-me|acorda-me|me lembr[ae]|cria um lembrete|(?:poe|define) um (?:alarme|despertador)`,
  'リマインド|起こして|アラームを?(?:セット|設定)|提醒|叫醒|闹钟',
)

const recurs = cue(
  `(?:every|each) (?:(?:other|single|first|last|\\d{1,4}|two|three|four|five|ten) )?(?:${period})s?
  (?:daily|hourly|weekly|monthly)(?=$| at )|once an? (?:hour|day|week|month|year)|on the (?:first|last) (?:day )?of (?:each|every|the)
  jede[nrsm]? (?:tag|morgen|mittag|abend|nacht|stunde|woche|monat|jahr|minute|\\p{L}{3,8}tag|mittwoch)
  stundlich|taglich|wochentlich|monatlich|alle \\d{1,4} \\p{L}{1,12}|alle (?:zwei|drei|funf|zehn) \\p{L}{1,12}
  (?:tous|toutes) les (?:\\d{1,4} )?(?:jours|matins|soirs|midis|nuits|heures|semaines|mois|ans|minutes|(?:lun|mar|mercre|jeu|vendre|same)dis|dimanches)
  chaque (?:jour|matin|soir|nuit|heure|semaine|mois|annee|minute|(?:lun|mar|mercre|jeu|vendre|same)di|dimanche)
  (?:todos|todas) l[oa]s (?:dias|mananas|tardes|noches|horas|semanas|meses|lunes|martes|miercoles|jueves|viernes|sabados|domingos)
  cada (?:\\d{1,4} )?(?:dia|manana|tarde|noche|horas?|semana|mes|minutos?|lunes|martes|miercoles|jueves|viernes|sabado|domingo)
  ogni (?:\\d{1,4} )?(?:giorno|mattina|sera|notte|or[ae]|settimana|mese|minut[oi]|lunedi|martedi|mercoledi|giovedi|venerdi|sabato|domenica)
  tutti i (?:giorni|lunedi|martedi|mercoledi|giovedi|venerdi|sabati)|tutte le (?:mattine|sere|settimane|domeniche)
  (?:todos|todas) [oa]s (?:dias|manhas|tardes|noites|horas|semanas|meses|segundas|tercas|quartas|quintas|sextas|sabados|domingos)
  cada (?:dia|manha|tarde|noite|hora|semana|mes)|diariamente|semanalmente|mensualmente|mensalmente|quotidiennement`,
  '毎(?:日|朝|晩|夜|週|月|時|年|分|[月火水木金土]曜)|每(?:天|日|周|星期|个?月|小时|晚|早|年|隔)',
)

const later = opens(
  `in (?:${number}) (?:minute|hour|day|week|month)s?|tomorrow (?:at|morning|evening)|tonight at
  in (?:\\d{1,4}|einer|zwei|drei|funf|zehn|zwanzig) (?:minuten?|stunden?|tagen?|wochen?)|morgen (?:um|fruh)
  dans (?:\\d{1,4}|une|deux|trois|cinq|dix|vingt) (?:minutes?|heures?|jours?)|demain a
  (?:dentro de|en) (?:\\d{1,4}|una|dos|tres|cinco|diez) (?:minutos?|horas?|dias?)|manana a
  (?:tra|fra) (?:\\d{1,4}|un'|due|tre|cinque|dieci|venti) ?(?:minuti|or[ae]|giorni)|domani alle
  daqui a (?:\\d{1,4}|uma|duas|dois|tres|cinco|dez) (?:minutos?|horas?|dias?)|amanha as`,
)

const until = cue(`until|till|bis|jusqu'a|tant que|hasta|finche|fino a|ate`, 'まで|直到|为止')
const repeats = cue(
  `keep|repeat|iterate|loop|again and again|over and over|do not stop|don't stop|never stop|continue|carry on|work on
  wiederhol\\p{L}{0,3}|weiter|immer wieder|so lange|solange|arbeite|hor nicht auf|verbesser\\p{L}{0,3}|probier\\p{L}{0,3}|versuch\\p{L}{0,3}
  continue[rsz]?|repete[rsz]?|encore et encore|n'arretez?|n'arrete pas|ameliore[rz]?|essaye?[rz]?|corrige[rz]?
  sigue|repite|no pares|una y otra vez|mejora|intentalo|itera
  continua|ripeti|non fermarti|riprova|migliora|itera|prova
  repete|nao pares|nao pare|melhora|tenta|outra vez`,
  '続け|繰り返|何度も|試し|一直|重复|不断|反复|继续|不停',
)
const insists = cue(
  `(?:try|again and) again and again|over and over (?:again )?until|do not stop until|don't stop until
  immer wieder|encore et encore|una y otra vez|n'arrete(?:z)? pas tant|no pares hasta|non fermarti finche|nao pares ate`,
  '何度も|反复尝试',
)

const whenever = opens(
  `whenever|every time|each time|as soon as|immer wenn|jedes mal,? wenn|sobald|chaque fois que|a chaque fois|des que
  cada vez que|siempre que|en cuanto|ogni volta che|ogniqualvolta|appena|sempre que|assim que`,
  '每当|每次|一旦',
)
const condition = opens(
  `when|if|wenn|falls|quand|lorsqu(?:e|'\\p{L}{1,20})|si|cuando|quando|se`,
  '当|如果|若',
)
const clause = /[,，、]/u
const wideCondition = /(?:たら|れば|るたびに|たびに|ると|とき)[、,]?|时[，,]/u
const automation = cue(
  `workflows?|automations?|automate|automatisier\\p{L}{1,4}|automatise[rz]?|automatiza|automatizza
  flujos? de trabajo|automatizacion|fluss[oi] di lavoro|automazione|fluxos? de trabalho|automacao|automatisierung|automatisation`,
  'ワークフロー|自動化|工作流|自动化',
)

const remembers = cue(
  `remember (?:that|my|i|me|the|this|to always)|don't forget|do not forget|note that|keep in mind|memori[sz]e
  forget (?:what|my|that|about|everything|all|it)|what (?:do|did) you (?:know|remember|learn)|do you (?:still )?(?:remember|know) (?:my|me|the name|what i|when i|where i|who)
  what (?:did|have) i (?:tell|told|say|said|mention)|did i (?:tell|mention|say)|what is my name|what's my name|who am i
  merk(?:e)? dir|vergiss|was weisst du (?:noch )?(?:uber|von)|was (?:habe|hab) ich dir|erinnerst du dich|notier(?:e)? dir|wie heisse ich|denk daran,? dass|weisst du noch
  souviens-toi|retiens|oublie|n'oublie pas|que sais-tu|qu'est-ce que tu sais|que t'ai-je|qu'est-ce que je t'ai|te souviens-tu|tu te souviens|memorise
  recuerda que|olvida(?:te)?|que sabes (?:de|sobre)|que te (?:dije|conte|he dicho)|te acuerdas|recuerdas|no olvides|acuerdate
  ricorda(?:ti)? (?:che|di)|ricordati|dimentica(?:ti)?|cosa sai (?:di|del|della|su)|cosa ti ho (?:detto|raccontato)|ti ricordi|non dimenticare
  lembra-te|lembre-se|esquece|esqueca|o que sabes|o que (?:e que )?(?:eu )?te (?:disse|contei)|te lembras|lembras-te|nao te esquecas|guarda na memoria`,
  '覚えて|忘れて|忘れないで|私の.{1,12}について|私が何と|记住|记得|记下|忘掉|忘记|忘了|别忘|你知道我|跟你说过|告诉过你|对你说过',
)
const aboutMe = opens(
  `my [\\p{L} ']{2,40} (?:is|are|was)|i (?:like|love|hate|prefer|live in|work at|work as|am allergic)
  ich (?:mag|liebe|hasse|wohne|arbeite bei)|mein[e]? \\p{L}{2,20} (?:ist|sind|heisst)
  j'aime|j'habite|je (?:deteste|prefere|travaille chez)|(?:a mi )?me (?:gusta|gustan|encanta)|vivo en|mi piace|abito a|vivo a|eu gosto|gosto de|moro em`,
  '私は.{1,20}(?:好き|嫌い|住んで)|我(?:喜欢|讨厌|住在)',
)

const changes = cue(
  `change|switch|set|turn (?:on|off)|add|enable|disable|reset|update|remove|where|how do i|choose|use
  ander(?:e|n|t)|andre|schalte?|stell(?:e|t)?|fuge|setze?|wo|aktivier\\p{L}{0,2}|deaktivier\\p{L}{0,2}|trag(?:e)?|wechsle|wechsel
  change[rz]?|passe[rz]?|regle[rz]?|mets|active[rz]?|desactive[rz]?|ajoute[rz]?|ou|modifie[rz]?|choisis
  cambia|pon|ajusta|activa|desactiva|anade|agrega|donde|configura|anado
  passa|imposta|attiva|disattiva|aggiungi|dove|modifica|metti|aggiungo
  muda|altera|define|ativa|desativa|adiciona|onde|coloca|adiciono`,
  '切り替え|変更|変えて|設定|追加|オフ|オン|どこ|切换|修改|设置|设为|改成|改为|添加|关闭|打开|在哪|哪里',
)
/** The settings that a sentence can name, by the page that has them. */
const settingsPages: readonly (readonly [page: string, named: RegExp])[] = [
  [
    '/settings/profile',
    cue(
      `(?:dark|light) (?:theme|mode)|theme|password|time ?zone|profile picture|my profile
      (?:dunkle|helle)[ns]? (?:design|modus|thema)|dunkelmodus|passwort|zeitzone|profilbild
      (?:theme|mode) (?:sombre|clair)|mot de passe|fuseau horaire|(?:tema|modo) (?:oscuro|claro|scuro|chiaro|escuro)
      contrasena|zona horaria|fuso orario|palavra-passe|senha|fuso horario`,
      'ダーク(?:テーマ|モード)|テーマ|パスワード|タイムゾーン|(?:深色|浅色)(?:主题|模式)|主题|密码|时区',
    ),
  ],
  [
    '/settings/keys',
    cue(
      `api[- ]keys?|api-schlussel|cles? api|claves? (?:de )?api|chiav[ei] api|chaves? (?:de |da )?api`,
      'apiキー|api ?密钥',
    ),
  ],
  [
    '/settings/providers',
    cue(
      `(?:model )?providers?|modellanbieter|fournisseurs? de modeles?|proveedor(?:es)? de modelos|fornitor[ei] di modelli|fornecedor(?:es)? de modelos`,
      'プロバイダー|模型提供商|模型供应商',
    ),
  ],
  [
    '/settings/agent',
    cue(
      `default (?:model|agent)|standardmodell|modele par defaut|modelo predeterminado|modello predefinito|modelo padrao`,
      '既定のモデル|默认模型',
    ),
  ],
  [
    '/settings/spending',
    cue(
      `budget limit|spending limit|budgetgrenze|limite de depenses|limite de gasto|limite di spesa`,
      '予算の上限|预算上限',
    ),
  ],
  [
    '/settings/interface',
    cue(
      `(?:interface|display) language|language of (?:the )?(?:interface|app|ui)|notifications|sprache der oberflache|benachrichtigungen
      langue de l'interface|idioma (?:de la|da) interfa[zc]e?|notificaciones|lingua dell'interfaccia|notifiche|notificacoes`,
      '言語|通知|界面',
    ),
  ],
  [
    '/settings',
    cue(
      `settings|einstellungen|parametres|reglages|ajustes|configuracion|impostazioni|definicoes|configuracoes`,
      '設定画面|设置页面',
    ),
  ],
]

/** The page of the settings that a sentence names. */
export const settingsPage = (sentence: string): string =>
  settingsPages.find(([, named]) => named.test(fold(sentence.slice(0, read))))?.[0] ?? '/settings'

const address =
  /https?:\/\/|(?<![\p{L}\p{N}@.])[a-z0-9-]{2,40}\.(?:com|org|net|io|dev|app|de|fr|es|it|pt|jp|cn|uk|eu|ch|at|br|info|example)(?![\p{L}\p{N}])/u
const screenshot = cue(
  `screenshots?|screen shot|bildschirmfoto|captures? d'ecran|capturas? de (?:pantalla|ecra|tela)|schermata`,
  'スクリーンショット|スクショ|截图|截个图|截屏',
)
const goes = cue(
  `go to|open|visit|browse|navigate to|log in(?:to)?|log on|sign in to|look on|search on
  geh|gehe|offne|besuche|melde dich|auf der|va|ouvre[rz]?|visite[rz]?|connecte-toi|entra|abre|visita|ve a|inicia sesion|vai|apri|accedi|vai a`,
  '開いて|サイトで|访问|打开|网站查|网站上|去.{1,12}网站',
)
const site = cue(
  `(?:web)? ?sites?|websites?|web ?page|home ?page|the page|browser|portal|online shop
  seite|webseite|website|page web|site|sitio|pagina web|web|pagina|sito|navegador|navigateur`,
  'サイト|ページ|ブラウザ|网站|网页|页面|浏览器',
)
const clicks = opens(
  `click|press the|tap the|scroll|fill (?:in|out) the|klick(?:e)?|full(?:e)? das formular|scrolle?|clique[rz]?|remplis le|remplis ce
  haz clic|pulsa|rellena (?:el|este)|clicca|compila il|premi|clica|preenche o|carrega no botao`,
  '点击|ページの.{1,12}を?(?:クリック|押)|填写页面',
)

const gadget = cue(
  `phones?|smartphone|iphone|ipad|tablets?|laptops?|macs?|macbook|my computer|the computer|desktop|camera|speakers?|my pc|watch
  handy|telefon|rechner|notebook|kamera|computer|lautsprecher|mein pc
  telephone|portable|ordinateur|tablette|appareil photo|movil|telefono|portatil|ordenador|tableta|camara|computadora
  cellulare|portatile|fotocamera|telemovel|celular|telefone|computador|notebook`,
  'スマホ|携帯|電話|タブレット|パソコン|カメラ|iphone|手机|平板|电脑|笔记本|相机',
)
const operates = cue(
  `take a (?:photo|picture|selfie)|lock|unlock|ring|battery|online|offline|where is|find my|notification on|volume|shut down|restart|turn (?:on|off)|reboot|sleep
  foto|sperre?|entsperre?|akku|klingeln|lautstarke|fahre|starte|schalte|wo ist|zeige?
  photo|verrouille|batterie|en ligne|sonner|eteins|redemarre|ou est
  una foto|bloquea|bateria|en linea|conectado|enciende|apaga|donde esta|suena
  scatta|blocca|batteria|accendi|spegni|dov'e|squillare
  fotografia|uma foto|bloqueia|ligado|liga|desliga|onde esta|tocar`,
  '写真|ロック|電池|バッテリー|オンライン|再起動|電源|音量|拍照|拍张|照片|锁定|电|在线|关机|重启',
)

const builds = cue(
  `build|develop|create|design|set up|launch|start|organi[sz]e|implement|plan and \\p{L}{3,12}|produce
  bau(?:e|t)?|entwickle|entwirf|erstell(?:e|t)?|start(?:e|et)?|leg(?:e)?|organisiere|plane|setze
  construis|cree[rz]?|developpe[rz]?|lance[rz]?|concois|organise[rz]?|monte
  construye|crea|desarrolla|disena|inicia|lanza|organiza|monta
  costruisci|sviluppa|progetta|avvia|lancia|organizza|realizza
  constroi|cria|desenvolve|desenha|inicia|lanca`,
  '作って|開発|構築|始めて|立ち上げ|企画|搭建|开发|建一个|创建|启动|设计一个|做一个|策划',
)
const venture = cue(
  `projects?|(?:web)?sites?|website|online (?:shop|store)|web ?shop|(?:mobile |web )?apps?|application|platform|system|marketing campaign|campaign|conference|game|product|service|startup|curriculum|course|handbook|knowledge base|report on .{1,60} with sources|dashboard
  projekt|webseite|onlineshop|anwendung|plattform|\\p{L}{0,24}system|kampagne|konferenz|spiel
  projet|site web|boutique en ligne|application|plateforme|systeme|campagne|conference|jeu video
  proyecto|sitio web|pagina web|tienda (?:en linea|online)|aplicacion|plataforma|sistema|campana|congreso
  progetto|sito web|negozio online|applicazione|piattaforma|campagna|conferenza
  projeto|site|loja online|aplicacao|aplicativo|plataforma|campanha|conferencia`,
  'プロジェクト|サイト|ショップ|アプリ|システム|プラットフォーム|キャンペーン|项目|网站|网店|应用|系统|平台|活动方案',
)
const wholeProject = cue(
  `from start to finish|from scratch|end to end|start a project|new project|as a project|a project (?:for|to)
  ein (?:neues )?projekt|un (?:nouveau )?projet|un (?:nuevo )?proyecto|un (?:nuovo )?progetto|um (?:novo )?projeto`,
  'プロジェクトを|项目',
)

const smallTalk = cue(
  `how are you|how was your|how's it going|what's up|tell me a (?:joke|story|riddle)|(?:know|tell) any (?:good )?(?:jokes|riddles|stories)|let's (?:chat|talk)|just (?:chat|talk)|i(?:'m| am) (?:bored|sad|happy|tired|lonely)|i had an? \\p{L}{1,12} day|what do you think (?:about|of)|you are (?:so |very |really )?(?:great|nice|helpful|funny|kind)|i appreciate|good job|well done|who are you
  wie geht(?:'s| es)|wie war dein|erzahl(?:e)? mir (?:einen|eine) (?:witz|geschichte)|(?:witz|ratsel)|mir ist langweilig|lass uns (?:reden|plaudern)|gut gemacht
  comment (?:ca va|vas-tu|allez-vous|s'est passee)|ca va|raconte-moi une (?:blague|histoire)|je m'ennuie|parlons un peu|tu m'as bien aide
  como estas|como te va|que tal|cuentame un (?:chiste|cuento)|estoy aburrid[oa]|charlemos|eres muy
  come stai|come va|com'e andata|raccontami una (?:barzelletta|storia)|mi annoio|sei stato|parliamo un po
  como (?:estas|vai|foi o teu)|tudo bem|conta-me uma (?:piada|historia)|estou aborrecid[oa]|es muito|vamos conversar`,
  '元気|冗談を|お話しよう|雑談|退屈|助かりました|最近怎么样|今天怎么样|讲个笑话|讲笑话|聊聊|聊天|无聊|你真好|太好了',
)
const greeting = opens(
  `hi|hello|hey|good (?:morning|afternoon|evening|night)|thanks?(?: you)?|cheers|bye|goodbye
  hallo|guten (?:morgen|tag|abend)|servus|danke(?: schon)?|vielen dank|tschuss|gute nacht
  bonjour|bonsoir|salut|coucou|merci|au revoir|bonne nuit
  hola|buenos dias|buenas (?:tardes|noches)|gracias|muchas gracias|adios
  ciao|buongiorno|buonasera|grazie|arrivederci|buonanotte
  ola|bom dia|boa (?:tarde|noite)|obrigad[oa]|muito obrigad[oa]|adeus|tchau`,
  'こんにちは|こんばんは|おはよう|ありがとう|やあ|さようなら|你好|您好|早上好|晚上好|下午好|谢谢|太感谢|再见',
)
/** Longer than this, a text that begins with a greeting is about something else. */
const maxGreeting = 60

const orders = opens(
  `summari[sz]e|translate|write|draft|calculate|compute|convert|rename|make|list|fix|proofread|correct|rewrite|shorten|extract|sort|find|search|look up|compare|turn|format|edit|create|generate|delete|move|copy|read|check|remove|send|book|order|prepare|analy[sz]e|count|compose|merge|split|clean up|save|download|give me|show me|review|improve|reply|answer|put|fetch|print|describe|suggest|organi[sz]e|tidy|reformat|paraphrase|outline
  schreib(?:e|t)?|ubersetz(?:e|t)?|fass(?:e)?|berechne|rechne|korrigier(?:e|t)?|sortier(?:e|t)?|mach(?:e)?|erstell(?:e|t)?|list(?:e)?|such(?:e)?|finde|vergleich(?:e)?|kurze|formulier(?:e)?|pruf(?:e)?|losche?|zeig(?:e)?|gib|wandle|sende|schick(?:e)?|lies|verbessere|ordne|benenne|speicher(?:e)?|beantworte
  resume[rz]?|traduis|ecris|redige|corrige[rz]?|calcule[rz]?|transforme[rz]?|trie[rz]?|fais|cree[rz]?|cherche[rz]?|trouve[rz]?|compare[rz]?|convertis|envoie|donne-moi|montre-moi|verifie|supprime|renomme|range|prepare
  resume|traduce|escribe|redacta|corrige|calcula|convierte|ordena|haz|crea|busca|encuentra|compara|envia|dame|muestrame|revisa|borra|prepara|renombra
  riassumi|traduci|scrivi|correggi|calcola|trasforma|converti|ordina|fai|crea|cerca|trova|confronta|invia|manda|dammi|mostrami|controlla|cancella|prepara|rinomina
  resume|resuma|traduz|traduza|escreve|escreva|corrige|corrija|calcula|transforma|converte|ordena|faz|cria|procura|encontra|compara|envia|da-me|mostra-me|verifica|apaga|prepara`,
  '帮我|把|给|写|翻译|总结|概括|计算|整理|列出|用|改写|润色|查找|搜索|生成',
)
const wideOrder =
  /(?:して|書いて|直して|作って|訳して|まとめて|教えて|調べて|数えて|並べて|ください|ておいて)[。]?$/u

interface Rule {
  intent: Intent
  /** How often it is right, by judgement. */
  confidence: number
  reason: string
  fits(text: string): boolean
}

const has =
  (...cues: readonly RegExp[]) =>
  (text: string): boolean =>
    cues.every((one) => one.test(text))

const isQuestion = (text: string) => asks.test(text)
const unlessAsked =
  (...cues: readonly RegExp[]) =>
  (text: string): boolean =>
    has(...cues)(text) && !isQuestion(text)

/** The first that fits decides. */
const rules: readonly Rule[] = [
  { intent: 'schedule', confidence: 0.95, reason: 'It asks for a reminder', fits: has(remind) },
  {
    intent: 'loop',
    confidence: 0.9,
    reason: 'It asks for work to be repeated until a condition is met',
    fits: (text) => unlessAsked(repeats, until)(text) || unlessAsked(insists)(text),
  },
  {
    intent: 'workflow',
    confidence: 0.85,
    reason: 'It says what should happen on an event',
    fits: (text) =>
      unlessEnded(text) &&
      (whenever.test(text) ||
        (condition.test(text) && clause.test(text)) ||
        (kana.test(text) && clause.test(text) && wideCondition.test(text)) ||
        (!kana.test(text) && /时[，,]/u.test(text))),
  },
  { intent: 'schedule', confidence: 0.9, reason: 'It names a recurring time', fits: unlessAsked(recurs) },
  { intent: 'schedule', confidence: 0.8, reason: 'It names a later time', fits: unlessAsked(later) },
  { intent: 'workflow', confidence: 0.85, reason: 'It names a workflow', fits: unlessAsked(automation) },
  {
    intent: 'memory',
    confidence: 0.9,
    reason: 'It asks to remember, recall or forget',
    fits: has(remembers),
  },
  {
    intent: 'settings',
    confidence: 0.85,
    reason: 'It names a setting',
    fits: (text) => changes.test(text) && settingsPages.some(([, named]) => named.test(text)),
  },
  { intent: 'browser', confidence: 0.9, reason: 'It asks for a web page', fits: has(goes, address) },
  { intent: 'browser', confidence: 0.9, reason: 'It asks for a screenshot', fits: unlessAsked(screenshot) },
  { intent: 'device', confidence: 0.85, reason: 'It names a device', fits: has(gadget, operates) },
  {
    intent: 'project',
    confidence: 0.85,
    reason: 'It describes a project',
    fits: unlessAsked(builds, venture),
  },
  { intent: 'project', confidence: 0.85, reason: 'It describes a project', fits: unlessAsked(wholeProject) },
  { intent: 'browser', confidence: 0.8, reason: 'It asks for a web page', fits: unlessAsked(goes, site) },
  { intent: 'browser', confidence: 0.8, reason: 'It asks for a click on a page', fits: has(clicks) },
  { intent: 'chat', confidence: 0.85, reason: 'It is small talk', fits: has(smallTalk) },
  {
    intent: 'chat',
    confidence: 0.9,
    reason: 'It is a greeting or thanks',
    fits: (text) => text.length <= maxGreeting && greeting.test(text),
  },
  { intent: 'question', confidence: 0.85, reason: 'It is a question', fits: isQuestion },
  { intent: 'memory', confidence: 0.7, reason: 'It is a fact about the person', fits: has(aboutMe) },
  {
    intent: 'task',
    confidence: 0.8,
    reason: 'It begins with an instruction',
    fits: (text) => orders.test(text) || wideOrder.test(text),
  },
]

const kana = /[\u3040-\u30ff]/u
const unlessEnded = (text: string) => !/[?？]$/u.test(text)

export interface RuleMatch {
  intent: Intent
  confidence: number
  reason: string
}

/** The intent of a sentence by its wording; null if no rule fits. */
export function matchRules(sentence: string): RuleMatch | null {
  const text = fold(sentence.slice(0, read))
  const request = text.replace(openings, '') || text
  return rules.find(({ fits }) => fits(request)) ?? null
}
