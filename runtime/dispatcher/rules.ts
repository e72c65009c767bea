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

/** A question by its beginning or end. */
const asks = new RegExp(
  `[?？]$|${
    opens(
      `what|what's|who|who's|why|when|where|which|how|is|are|was|were|does|did|do|has|have|can|could|should|will|would|explain|(?:tell|show) me (?:how|why|what|who|when|where)|any idea|whats|how's|the difference between|difference between
    was|wer|wie|wo|warum|wieso|weshalb|wann|welche[rsnm]?|ist|sind|gibt es|hat|kann|erklare?|seit wann|sag(?:e)? mir,? (?:wie|was|warum|wer|wo|wann)
    que|qu'est-ce|c'est quoi|a quelle|quel(?:le)?s?|qui|pourquoi|comment|combien|ou|est-ce|explique|depuis quand|dis-moi (?:comment|pourquoi|ce que|qui|ou)
    que|cual(?:es)?|quien(?:es)?|por que|como|cuant[oa]s?|donde|cuando|explica|desde cuando|dime (?:como|por que|que|quien|donde)
    qual|quali|chi|perche|come|quant[oiae]|dove|quando|cosa|che cosa|spiega|mi spieghi|da quanto|dimmi (?:come|perche|che|chi|dove)
    quais|quem|sabes|quantos|quantas|quanto|onde|o que|explica|ha quanto|desde quando|porque e que|diz-me (?:como|porque|o que|quem|onde)`,
      '为什么|什么|谁|哪|怎么|如何|多少',
    ).source
  }|(?:ですか|ますか|でしょうか|のか|は何|なぜ|どうして|どこ|誰|いつ|いくら)[。]?$|(?:吗|呢|什么|多少|哪里|哪儿|谁|几)[。]?$`,
  'u',
)

/** Question words in the middle, in scripts without spaces. */
const asksWithin = /なぜ|どうして|いつ|何年|何ですか|什么|多少|为什么|怎么|是谁|谁写|哪一/u

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
  (?:daily|hourly|weekly|monthly)(?=$| at )|(?:once|twice|(?:two|three|four|\\d) times) an? (?:hour|day|week|month|year)|reminders?|on the (?:first|last) (?:day )?of (?:each|every|the)
  jede[nrsm]? (?:tag|morgen|mittag|abend|nacht|stunde|woche|monat|jahr|minute|\\p{L}{3,8}tag|mittwoch)
  stundlich|taglich|wochentlich|monatlich|alle \\d{1,4} \\p{L}{1,12}|alle (?:zwei|drei|funf|zehn) \\p{L}{1,12}|(?:einmal|zweimal|dreimal) (?:am|pro|die|in der) \\p{L}{3,8}|erinnerung
  (?:tous|toutes) les (?:\\d{1,4} )?(?:jours|matins|soirs|midis|nuits|heures|semaines|mois|ans|minutes|(?:lun|mar|mercre|jeu|vendre|same)dis|dimanches)
  (?:une|deux|trois) fois par (?:jour|semaine|mois|an)|(?:una|dos|tres) ve(?:z|ces) (?:al|a la|por) \\p{L}{3,8}|(?:una volta|due volte|tre volte) (?:al|alla) \\p{L}{3,10}|(?:uma|duas|tres) vezes? por \\p{L}{3,8}
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

const notify = cue(
  `ping|nudge|alert|notify|tell|call|warn|message|text|buzz
  sag mir|gib mir bescheid|melde dich|erinnern|benachrichtige
  previens-moi|avertis-moi|dis-moi|appelle-moi|avisame|dime|avvisami|dimmi|chiamami|avisa-me|diz-me|chama-me`,
  '知らせて|教えて|呼んで|叫我|通知我|告诉我',
)
const clockTime = cue(
  `at (?:\\d{1,2}|noon|midnight|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)|\\d{1,2}(?::\\d\\d)? ?(?:am|pm|h|uhr)|in (?:${number}) (?:minute|hour|day|week)s?|tonight|tomorrow
  um (?:\\d{1,2}|\\p{L}{3,6})|morgen|heute abend|in (?:\\d{1,4}|einer|zwei|drei) (?:minuten|stunden?|tagen)
  a \\d{1,2} ?h(?:eures)?|demain|ce soir|dans (?:\\d{1,4}|une|deux) (?:minutes|heures?|jours)
  a las? \\p{L}{3,7}|a las? \\d{1,2}|manana|esta noche|alle \\p{L}{3,7}|alle \\d{1,2}|domani|stasera|as \\p{L}{3,7}|as \\d{1,2}|amanha`,
  '[一二三四五六七八九十\\d]{1,3}(?:時|点|分後|分钟后|小时后)|明日|明天|今晩|今晚',
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
/** "Until" with a condition; a time is no condition. */
const untilDone = cue(
  `until (?:it|he|she|they|the|all|every|each|there|nothing|no|everything|\\p{L}{3,20} (?:is|are|works?|says?))
  ,? bis (?:es|er|sie|der|die|das|alles?|nichts|kein\\p{L}{0,2})|jusqu'a (?:ce qu|\\p{L}{2,12}(?:er|ir|oir|re)(?![\\p{L}]))
  hasta (?:que|\\p{L}{2,12}[aei]r)|finche|fino a (?:quando|che)|ate (?:que|el[ea]s?|estar|ficar|so(?:ar|arem)|\\p{L}{2,12}(?:[aei]r|[aei]rem))`,
  'まで.{0,12}(?:続け|繰り返)|直到.{1,20}为止|直到',
)
const insists = cue(
  `(?:try|again and) again and again|over and over (?:again )?until|do not stop until|don't stop until
  immer wieder|encore et encore|una y otra vez|n'arrete(?:z)? pas tant|no pares hasta|non fermarti finche|nao pares ate`,
  '何度も|反复尝试',
)

const whenever = opens(
  `whenever|every time|each time|every new|as soon as|once (?:the|a|an|somebody|someone)|immer wenn|jedes mal,? wenn|sobald|chaque fois que|a chaque fois|des que
  cada vez que|siempre que|en cuanto|ogni volta che|ogniqualvolta|appena|sempre que|assim que`,
  '每当|每次|一旦',
)
const condition = opens(
  `when|if|wenn|falls|quand|lorsqu(?:e|'\\p{L}{1,20})|si|cuando|quando|se`,
  '当|如果|若',
)
const clause = /[,，、]/u
const wideCondition = /(?:たら|れば|るたびに|たびに|ると|とき)/u
const automation = cue(
  `workflows?|automations?|automate|automatisier\\p{L}{1,4}|automatise[rz]?|automatiza|automatizza
  flujos? de trabajo|automatizacion|fluss[oi] di lavoro|automazione|fluxos? de trabalho|automacao|automatisierung|automatisation`,
  'ワークフロー|自動化|工作流|自动化',
)

const remembers = cue(
  `remember (?:that|my|i|me|the|this|to always)|don't forget|do not forget|note that|keep in mind|memori[sz]e
  forget (?:what|my|that|about|everything|all|it)|what (?:do|did) you (?:know|remember|learn)|do you (?:still )?(?:remember|know) (?:my|me|the name|what i|when i|where i|who)
  what (?:did|have) i (?:tell|told|say|said|mention)|did i (?:tell|mention|say)|what was the name of my|for the record|just so you know|what is my name|what's my name|who am i
  merk(?:e)? dir|vergiss|was weisst du (?:noch )?(?:uber|von)|was (?:habe|hab) ich dir|erinnerst du dich|notier(?:e)? dir|wie heisse ich|wie hiess (?:noch ?mal |nochmal )?mein|nur damit du es weisst|denk daran,? dass|weisst du noch
  souviens-toi|retiens|sache que|note bien|oublie|n'oublie pas|que sais-tu|qu'est-ce que tu sais|que t'ai-je|qu'est-ce que je t'ai|te souviens-tu|tu te souviens|memorise
  recuerda que|ten en cuenta|que sepas que|olvida(?:te)?|que sabes (?:de|sobre)|que te (?:dije|conte|he dicho)|te acuerdas|recuerdas|no olvides|acuerdate
  ricorda(?:ti)? (?:che|di)|tieni presente|sappi che|ricordati|dimentica(?:ti)?|cosa sai (?:di|del|della|su)|cosa ti ho (?:detto|raccontato)|ti ricordi|non dimenticare
  lembra-te|lembre-se|fica a saber|tem em conta|esquece|esqueca|o que sabes|o que (?:e que )?(?:eu )?te (?:disse|contei)|te lembras|lembras-te|nao te esquecas|guarda na memoria`,
  '覚えて|忘れて|忘れないで|私の.{1,12}について|私が何と|覚えとい|记住|记得|记下|记一下|忘掉|忘记|忘了|别忘|你知道我|跟你说过|告诉过你|对你说过',
)
const aboutMe = opens(
  `my [\\p{L} ']{2,40} (?:is|are|was)|i (?:like|love|hate|prefer|live in|work at|work as|am allergic)
  ich (?:mag|liebe|hasse|wohne|arbeite bei)|mein[e]? \\p{L}{2,20} (?:ist|sind|heisst)
  j'aime|j'habite|je (?:deteste|prefere|travaille chez)|(?:a mi )?me (?:gusta|gustan|encanta)|vivo en|mi piace|abito a|vivo a|eu gosto|gosto de|moro em`,
  '私は.{1,20}(?:好き|嫌い|住んで)|我(?:喜欢|讨厌|住在)',
)

const firstPerson = opens(
  `i|i'm|we|it|ich|wir|es|je|j'ai|nous|il|yo|estoy|nosotros|io|sono|estou|eu`,
  '我|私|僕',
)

const changes = cue(
  `change|switch|set|make the|turn (?:on|off)|add|enable|disable|reset|update|remove|where|how do i|choose
  ander(?:e|n|t)|andre|ausschalten|einschalten|schalte?|stell(?:e|t)?|fuge|setze?|wo|aktivier\\p{L}{0,2}|deaktivier\\p{L}{0,2}|trag(?:e)?|wechsle|wechsel
  change[rz]?|changer|passe[rz]?|regle[rz]?|mets|active[rz]?|desactive[rz]?|ajoute[rz]?|ou|modifie[rz]?|choisis
  cambi[aoe]|pon|ajusta|activa|desactiva|anade|agrega|donde|configura|anado
  passa|imposta|attiva|disattiva|aggiungi|dove|modifica|metti|aggiungo
  mud[ao]|altera|define|ativa|desativa|adiciona|onde|coloca|adiciono`,
  '切り替え|変更|変えて|設定|追加|オフ|オン|どこ|切换|修改|设置|设为|改成|改为|添加|关闭|打开|在哪|哪里',
)
/** The settings that a sentence can name, by the page that has them. */
const settingsPages: readonly (readonly [page: string, named: RegExp])[] = [
  [
    '/settings/profile',
    cue(
      `(?:dark|light) (?:theme|mode)|theme|password|time ?zone|profile picture|profile photo|my profile
      (?:dunkle|helle)[ns]? (?:design|modus|thema)|dunkelmodus|passwort|zeitzone|profilbild|photo de profil|foto de perfil|foto del profilo
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
      `(?:interface|display) language|(?:the|my) (?:interface|display)|language of (?:the )?(?:interface|app|ui)|notifications|sprache der oberflache|benachrichtigungen
      langue de l'interface|idioma (?:de la|da) interfa[zc]e?|notificaciones|lingua dell'interfaccia|notifiche|notificacoes`,
      '言語|通知[をの]|界面|关闭.{0,4}通知|通知设置',
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
  /https?:\/\/|(?<![\p{L}\p{N}@.-])[a-z0-9][a-z0-9-]{1,39}\.(?:com|org|net|io|dev|app|de|fr|es|it|pt|jp|cn|uk|eu|ch|at|br|info|example)(?![\p{L}\p{N}])/u
const screenshot = cue(
  `screenshots?|screen shot|bildschirmfoto|captures? d'ecran|capturas? de (?:pantalla|ecra|tela)|schermata`,
  'スクリーンショット|スクショ|截图|截个图|截屏',
)
const goes = cue(
  `go to|open|visit|browse|navigate to|log in(?:to)?|log on|sign in to|look on|look at|look up|check|search on|search
  geh|gehe|offne|besuche|melde dich|auf der|va|ouvre[rz]?|visite[rz]?|connecte-toi|entra|abre|visita|ve a|inicia sesion|vai|apri|accedi|vai a`,
  '開いて|サイトで|访问|打开|网站查|网站上|去.{1,12}网站',
)
const site = cue(
  `wikipedia|google|youtube|amazon|ebay|reddit|(?:web)? ?sites?|websites?|web ?page|home ?page|the page|browser|portal|online shop
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
  `take a (?:photo|picture|selfie)|lock|unlock|ring|rings|(?:turn|switch|power|shut)(?: \\p{L}{1,12}){0,4} (?:on|off|down)|(?:is|are)(?: \\p{L}{1,12}){1,4} on$|charged?|charging|mute|battery|online|offline|where is|find my|notification on|volume|shut down|restart|turn (?:on|off)|reboot|sleep
  foto|sperre?|entsperre?|akku|klingeln|lautstarke|fahre|starte|schalte|wo ist|zeige?
  photo|verrouille|batterie|en ligne|sonner|eteins|redemarre|ou est
  una foto|bloquea|bateria|sonar|en linea|conectado|enciende|apaga|donde esta|suena
  scatta|blocca|batteria|accendi|spegni|dov'e|squillare
  fotografia|uma foto|bloqueia|ligado|liga|desliga|onde esta|tocar|toque`,
  '写真|鳴らし|ロック|電池|バッテリー|オンライン|再起動|電源|音量|拍照|拍张|照片|锁定|电量|电池|多少电|剩.{0,3}电|响|在线|关机|重启',
)

const builds = cue(
  `build|develop|create|design|set up|organi[sz]e|implement|plan and \\p{L}{3,12}|produce|we need an?|want to (?:launch|start|build|open)|like to (?:launch|start|build|open)
  bau(?:e|t)?|entwickle|entwirf|erstell(?:e|t)?|leg(?:e)?|organisiere|plane|setze|wir brauchen|will (?:einen|eine|ein) \\p{L}{3,20} (?:starten|grunden)
  construis|cree[rz]?|developpe[rz]?|concois|organise[rz]?|monte[rz]?|il nous faut|lancer
  construye|crea|desarrolla|disena|organiza|monta|necesitamos|lanzar
  costruisci|sviluppa|progetta|organizza|realizza|ci serve|lanciare
  constroi|cria|desenvolve|desenha|precisamos|lancar`,
  '作って|必要|需要|開発|構築|始めて|立ち上げ|企画|搭建|开发|建一个|创建|设计一个|做一个|策划',
)
const venture = cue(
  `projects?|(?:web)?sites?|website|online (?:shop|store)|web ?shop|(?:mobile |web )?apps?|application|platform|system|marketing campaign|campaign|conference|game|product|service|startup|curriculum|(?:\\p{L}{2,12} )?course|handbook|knowledge base|podcast|blog|book|e-book|magazine|festival|report on .{1,60} with sources|dashboard
  projekt|\\p{L}{0,12}kurs|webseite|onlineshop|anwendung|plattform|\\p{L}{0,24}system|kampagne|konferenz|spiel
  projet|cours de \\p{L}{3,12}|curso(?: de \\p{L}{3,12})?|corso(?: di \\p{L}{3,12})?|site web|boutique en ligne|application|plateforme|systeme|campagne|conference|jeu video
  proyecto|sitio web|pagina web|tienda (?:en linea|online)|aplicacion|plataforma|sistema|campana|congreso
  progetto|sito web|negozio online|applicazione|piattaforma|campagna|conferenza
  projeto|site|loja online|aplicacao|aplicativo|plataforma|campanha|conferencia`,
  'プロジェクト|コース|講座|课程|サイト|ショップ|アプリ|システム|プラットフォーム|キャンペーン|项目|网站|网店|应用|系统|平台|活动方案',
)
const wholeProject = cue(
  `from start to finish|from scratch|end to end|start a project|new project|as a project|a project (?:for|to)
  ein (?:neues )?projekt|un (?:nouveau )?projet|un (?:nuevo )?proyecto|un (?:nuovo )?progetto|um (?:novo )?projeto`,
  'プロジェクトを|项目|一から|从零',
)
const plans = opens(
  `plan|let's plan|plane|planifie[rz]?|planifica|pianifica|planeia|planeje|organi[sz]e (?:a|an|the|our|my)|organisiere|organise[rz]?|organiza|organizza`,
  '计划|策划|规划',
)

const smallTalk = cue(
  `how are you|how was your|how's it going|what's up|tell me a (?:joke|story|riddle)|(?:know|tell) any (?:good )?(?:jokes|riddles|stories)|let's (?:chat|talk)|just (?:chat|talk)|i(?:'m| am) (?:bored|sad|happy|tired|lonely)|i had an? \\p{L}{1,12} day|what do you think (?:about|of)|you are (?:so |very |really )?(?:great|nice|helpful|funny|kind)|i appreciate|i(?:'m| am| feel)(?: (?:so|very|really|quite|a bit|just))? (?:happy|sad|bored|tired|lonely|exhausted|excited|angry|great|fine|hungry|sick)|i can't sleep|keep me company|guess what|good to (?:see|hear)|nice to (?:see|meet)|happy (?:birthday|new year|easter)|merry christmas|have a (?:nice|good)|congratulations|good job|well done|who are you
  wie geht(?:'s| es)|wie war dein|erzahl(?:e)? mir (?:einen|eine) (?:witz|geschichte)|(?:witz|ratsel)|mir ist langweilig|mir geht|ich bin (?:so |sehr |heute )?(?:mude|traurig|froh|glucklich|sauer|kaputt)|schon,? dass|frohe weihnachten|alles gute|schones wochenende|gluckwunsch|was (?:machst|treibst) du|lass uns (?:reden|plaudern)|gut gemacht
  comment (?:ca va|vas-tu|allez-vous|s'est passee)|ca va|raconte-moi une (?:blague|histoire)|je m'ennuie|je me sens|je suis (?:tres |un peu |si )?(?:fatigue|triste|content|seul|heureu)\\p{L}{0,2}|bonne annee|bon (?:anniversaire|week-end|courage)|joyeux|felicitations|quoi de neuf|parlons un peu|tu m'as bien aide
  como estas|como te va|que tal|cuentame un (?:chiste|cuento)|(?:hoy )?estoy (?:muy |de |tan )?(?:aburrid[oa]|cansad[oa]|triste|feliz|content[oa]|mal|buen)|feliz (?:navidad|cumpleanos|ano)|buen fin de semana|felicidades|que haces|charlemos|eres muy
  come stai|come va|com'e andata|raccontami una (?:barzelletta|storia)|mi annoio|(?:oggi )?(?:sono|mi sento) (?:cosi |molto |proprio |un po' )?(?:stanc[oa]|triste|felice|sol[oa]|content[oa])|buon (?:compleanno|anno|natale|fine settimana)|auguri|che fai|sei stato|parliamo un po
  como (?:estas|vai|foi o teu)|tudo bem|conta-me uma (?:piada|historia)|estou (?:muito |tao |cheio de )?(?:aborrecid[oa]|cansad[oa]|triste|feliz|content\\p{L}|sono)|bom (?:fim de semana|natal|ano)|feliz (?:natal|aniversario)|parabens|que fazes|es muito|vamos conversar`,
  '元気|疲れまし|疲れた|ただいま|おめでとう|嬉しい|悲しい|心情|祝你|好累|难过|开心|冗談を|お話しよう|雑談|退屈|助かりました|最近怎么样|今天怎么样|讲个笑话|讲笑话|聊聊|聊天|无聊|你真好|太好了',
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
/** Longer than this, a text that names a setting without a verb for changing it is about something else. */
const maxWish = 30
/** Longer than this, a text that begins with a greeting is about something else. */
const maxGreeting = 60

const orders = opens(
  `summari[sz]e|translate|write|draft|calculate|compute|convert|rename|make|list|fix|proofread|correct|rewrite|shorten|extract|sort|find|search|look up|compare|turn|format|edit|create|generate|delete|move|copy|read|check|remove|send|book|order|prepare|analy[sz]e|count|compose|merge|split|clean up|save|download|give me|show me|review|improve|reply|answer|put|fetch|print|describe|suggest|organi[sz]e|tidy|reformat|paraphrase|outline|i need|need|help me
  schreib(?:e|t)?|ubersetz(?:e|t)?|fass(?:e)?|berechne|rechne|korrigier(?:e|t)?|sortier(?:e|t)?|mach(?:e)?|erstell(?:e|t)?|list(?:e)?|such(?:e)?|finde|vergleich(?:e)?|kurze|formulier(?:e)?|pruf(?:e)?|losche?|zeig(?:e)?|gib|wandle|sende|schick(?:e)?|lies|verbessere|ordne|benenne|speicher(?:e)?|beantworte|(?:ich )?brauche|hilf mir
  resume[rz]?|traduis|ecris|redige|corrige[rz]?|calcule[rz]?|transforme[rz]?|trie[rz]?|fais|cree[rz]?|cherche[rz]?|trouve[rz]?|compare[rz]?|convertis|envoie|donne-moi|montre-moi|verifie|supprime|renomme|range|prepare|raccourcis|il me faut|j'ai besoin|aide-moi
  resume|traduce|escribe|redacta|corrige|calcula|convierte|ordena|haz|crea|busca|encuentra|compara|envia|dame|muestrame|revisa|borra|prepara|renombra|acorta|ponme|necesito|ayudame
  riassumi|traduci|scrivi|correggi|calcola|trasforma|converti|ordina|fai|crea|cerca|trova|confronta|invia|manda|dammi|mostrami|controlla|cancella|prepara|rinomina|accorcia|mi serve|aiutami
  resume|resuma|traduz|traduza|escreve|escreva|corrige|corrija|calcula|transforma|converte|ordena|faz|cria|procura|encontra|compara|envia|da-me|mostra-me|verifica|apaga|prepara|encurta|preciso|ajuda-me`,
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

const isQuestion = (text: string) => asks.test(text) || asksWithin.test(text)
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
    fits: (text) =>
      unlessAsked(repeats, until)(text) ||
      (unlessAsked(untilDone)(text) && !firstPerson.test(text)) ||
      (unlessEnded(text) && insists.test(text)),
  },
  {
    intent: 'workflow',
    confidence: 0.85,
    reason: 'It says what should happen on an event',
    fits: (text) =>
      unlessEnded(text) &&
      (whenever.test(text) ||
        (condition.test(text) && clause.test(text)) ||
        (kana.test(text) && wideCondition.test(text) && (clause.test(text) || wideOrder.test(text))) ||
        (!kana.test(text) && /时[，,]/u.test(text))),
  },
  {
    intent: 'schedule',
    confidence: 0.9,
    reason: 'It names a recurring time',
    fits: (text) => recurs.test(text) && !asks.test(text),
  },
  { intent: 'schedule', confidence: 0.8, reason: 'It names a later time', fits: unlessAsked(later) },
  {
    intent: 'schedule',
    confidence: 0.85,
    reason: 'It asks to be notified at a time',
    fits: unlessAsked(notify, clockTime),
  },
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
    fits: (text) =>
      settingsPages.some(([, named]) => named.test(text)) &&
      (changes.test(text) || (text.length <= maxWish && !isQuestion(text) && !orders.test(text))),
  },
  { intent: 'browser', confidence: 0.9, reason: 'It asks for a web page', fits: unlessAsked(address) },
  { intent: 'browser', confidence: 0.9, reason: 'It asks for a screenshot', fits: unlessAsked(screenshot) },
  { intent: 'device', confidence: 0.85, reason: 'It names a device', fits: has(gadget, operates) },
  {
    intent: 'project',
    confidence: 0.85,
    reason: 'It describes a project',
    fits: unlessAsked(builds, venture),
  },
  {
    intent: 'project',
    confidence: 0.85,
    reason: 'It describes a project',
    fits: (text) => unlessAsked(wholeProject)(text) || unlessAsked(plans)(text),
  },
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
