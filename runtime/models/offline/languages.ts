export type Act = 'remind' | 'greet' | 'thanks' | 'help' | 'time' | 'date' | 'recall' | 'name' | 'remember'

/** What this model reads and says in a language. Where it has no form for something, it says its limit. */
export interface Language {
  /** BCP 47, also used to format dates. */
  code: string
  name: string
  /** Frequent words that are not English. */
  words: string
  /** Patterns of whole sentences, tried in this order. Groups: `content`, `name`, `query`, `place`, `rest`. */
  forms: Partial<Record<Act, string | readonly string[]>>
  /** Of languages that a schedule can be read in. */
  reminders?: {
    /** What precedes the task itself, such as "to" in English. */
    lead: RegExp
    /** Asks for the task and the time, with an example. */
    ask: string
    set(task: string, moment: string): string
  }
  say: {
    /** Said once in a conversation. */
    notice: string
    hello: string
    welcome: string
    help: string
    limit: string
    saved(content: string): string
    met(name: string): string
    found: string
    nothing: string
    time(time: string, date: string, zone: string): string
    date(date: string, zone: string): string
    noPlace(place: string): string
    page(title: string): string
    lacks(tool: string): string
    refused: string
    failed(reason: string): string
  }
}

const r = String.raw

const german: Language = {
  code: 'de',
  name: 'German',
  words:
    'fasse zusammen lies was rechne ich du wir ihr mich mir dich dir und oder nicht ist sind bin bist das der den dem ein eine einen mein meine meinen dein wie wer wo wann warum welche bitte mit für auf über von zu zum zur kannst könntest kann hast habe gibt heute morgen gestern auch noch schon sehr wetter uhr schreibe zeige übersetze erzähle erkläre gedicht',
  forms: {
    remind: r`(?:erinnere?|wecke?) mich(?: bitte)?,? (?<rest>.+)`,
    greet: r`(?:hallo|hallöchen|guten (?:tag|morgen|abend)|moin(?: moin)?|servus|grüß (?:gott|dich)|hi du)(?: zusammen)?`,
    thanks: r`(?:danke(?:schön)?|vielen dank|dank dir)(?: (?:sehr|schön|dir))?`,
    help: r`(?:sprichst du deutsch|verstehst du deutsch|hilfe|hilf mir|was kannst du(?: (?:alles|tun|machen|für mich tun))*|wie kannst du (?:mir )?helfen)`,
    time: r`(?:wie spät ist es|wie viel uhr ist es|wieviel uhr (?:ist es|haben wir)|wie viel uhr haben wir|uhrzeit)(?: (?:jetzt|gerade))?(?: (?:in|auf) (?<place>.+))?`,
    date: r`(?:welcher tag ist heute|welches datum (?:ist heute|haben wir(?: heute)?)|den wievielten haben wir(?: heute)?|was ist heute für ein tag)`,
    recall: [
      r`(?<query>wie (?:heiße|heisse) ich|wie ist mein name|wer bin ich)`,
      r`(?:was weißt du (?:noch )?(?:über|von)|erinnerst du dich (?:noch )?an|woran erinnerst du dich (?:bei|zu)|was (?:habe ich dir|hab ich dir) (?:über|von|zu)) (?<query>.+?)(?: (?:gesagt|erzählt))?`,
      r`(?<query>(?:was|wer|wo|wann|welche[rsn]?|wie) .*\b(?:mein\p{L}*|ich|mir)(?![\p{L}]).*)`,
    ],
    name: r`(?:ich (?:heiße|heisse)|mein name ist|nenn(?:e)? mich) (?<name>\p{L}[\p{L} '-]*)`,
    remember: [
      r`(?:bitte )?(?:merke? dir|erinnere dich(?: daran)?|vergiss nicht|notiere?(?: dir)?|speichere?|denk daran)(?: bitte)?[,:]?\s+(?:dass\s+)?(?<content>.+)`,
      r`(?<content>(?:ich (?:mag|liebe|hasse|wohne|lebe|arbeite|bevorzuge|trinke|esse|spreche)|mein[e]? \p{L}+ (?:ist|sind|hat|heißt)) .+)`,
    ],
  },
  reminders: {
    lead: /^(?:bitte\s+)?(?:daran|an)?[\s,:]*(?:dass )?/iu,
    ask: 'Woran soll ich dich erinnern, und wann? Zum Beispiel: "Erinnere mich morgen um 17 Uhr daran, Ada anzurufen".',
    set: (task, moment) => `Die Erinnerung steht: ${task}, ${moment}.`,
  },
  say: {
    notice:
      'Ich bin das eingebaute Offline-Modell: Ich folge festen Regeln und benutze Werkzeuge, habe aber kein Weltwissen.',
    hello: 'Hallo! Was kann ich tun?',
    welcome: 'Gern geschehen.',
    help: 'Auf Deutsch kann ich: mir etwas merken ("Merke dir, dass ich Tee mag"), mich erinnern ("Was weißt du über Tee?"), die Uhrzeit sagen, rechnen und Webseiten zusammenfassen. Mehr kann ich auf Englisch ("help").',
    limit:
      'Das verstehe ich auf Deutsch nicht: Ich kenne nur wenige deutsche Sätze (sag "Hilfe"). Für alles andere füge unter Settings → Providers ein Modell hinzu, mit Schlüssel oder als lokales Ollama.',
    saved: (content) => `Gemerkt: ${content}.`,
    met: (name) => `Freut mich, ${name}. Ich merke mir deinen Namen.`,
    found: 'Das habe ich mir gemerkt:',
    nothing: 'Dazu habe ich nichts gespeichert.',
    time: (time, date, zone) => `Es ist ${time} Uhr am ${date} (${zone}).`,
    date: (date, zone) => `Heute ist ${date} (${zone}).`,
    noPlace: (place) => `Die Zeitzone von "${place}" kenne ich nicht.`,
    page: (title) => `${title} sagt, in eigenen Sätzen:`,
    lacks: (tool) => `Das geht in diesem Gespräch nicht: Das Werkzeug ${tool} ist nicht verfügbar.`,
    refused: 'Du hast es nicht erlaubt, also habe ich es nicht getan.',
    failed: (reason) => `Das ist fehlgeschlagen: ${reason}`,
  },
}

const french: Language = {
  code: 'fr',
  name: 'French',
  words:
    "résume lis je tu il elle nous vous moi toi et ou est sont suis es le les la un une des du mon ma mes ton ta votre que qui quoi quel quelle quels où quand pourquoi comment avec pour dans sur s'il plaît plait peux peut pouvez fais faire aujourd'hui demain hier aussi très bien météo écris raconte traduis explique poème c'est j'aime qu'est combien font",
  forms: {
    remind: r`rappelle[sz]?[- ]moi,? (?<rest>.+)`,
    greet: r`(?:bonjour|bonsoir|salut|coucou|allô)(?: à tous| toi)?`,
    thanks: r`merci(?: (?:beaucoup|bien|à toi))?`,
    help: r`(?:(?:parles-tu|parlez-vous|tu parles) (?:le )?français|aide|aide-moi|aidez-moi|à l'aide|que (?:peux-tu|sais-tu|pouvez-vous) faire|qu'est-ce que tu (?:peux|sais) faire|tu peux faire quoi)`,
    time: r`(?:quelle heure est[- ]il|il est quelle heure|quelle est l'heure|l'heure)(?: (?:maintenant|actuellement))?(?: (?:à|au|en) (?<place>.+))?`,
    date: r`(?:quel jour (?:sommes-nous|est-on|on est)|quelle (?:est la date|date (?:sommes-nous|est-on)))(?: aujourd'hui)?`,
    recall: [
      r`(?<query>comment (?:je m'appelle|est-ce que je m'appelle)|quel est mon nom|qui suis-je)`,
      r`(?:que sais-tu (?:de|sur|à propos de)|qu'est-ce que tu sais (?:de|sur)|te souviens-tu (?:de|du)|tu te souviens (?:de|du)|que t'ai-je dit (?:de|sur)) (?<query>.+)`,
      r`(?<query>(?:que|quoi|qui|où|quand|quel\p{L}*|comment|est-ce que j).*(?:\b(?:mon|ma|mes|je|moi)\b|j').*)`,
    ],
    name: r`(?:je m'appelle|mon nom est|appelle-moi) (?<name>\p{L}[\p{L} '-]*)`,
    remember: [
      r`(?:souviens-toi|souvenez-vous|rappelle-toi|retiens|n'oublie pas|mémorise|note|enregistre)[,:]?\s+(?:bien\s+)?(?:que\s+|qu')?(?<content>.+)`,
      r`(?<content>(?:j'aime|j'adore|je déteste|j'habite|je vis|je travaille|je préfère|je parle|mon \p{L}+ est|ma \p{L}+ est) .+)`,
    ],
  },
  reminders: {
    lead: /^(?:de |d['’]|que |qu['’])/iu,
    ask: "De quoi dois-je vous faire souvenir, et quand ? Par exemple : « Rappelle-moi demain à 17h d'appeler Ada ».",
    set: (task, moment) => `Le rappel est noté : ${task}, ${moment}.`,
  },
  say: {
    notice:
      "Je suis le modèle hors ligne intégré : je suis des règles fixes et j'utilise des outils, mais je n'ai aucune connaissance du monde.",
    hello: 'Bonjour ! Que puis-je faire ?',
    welcome: 'De rien.',
    help: `En français, je sais : retenir (« Souviens-toi que j'aime le thé »), me souvenir (« Que sais-tu sur le thé ? »), donner l'heure, calculer et résumer une page web. En anglais, je sais en faire plus ("help").`,
    limit:
      'Je ne comprends pas cela en français : je ne connais que quelques phrases (dites « aide »). Pour le reste, ajoutez un modèle dans Settings → Providers, avec une clé ou un Ollama local.',
    saved: (content) => `C'est noté : ${content}.`,
    met: (name) => `Enchanté, ${name}. Je retiens votre nom.`,
    found: "Voici ce que j'ai retenu :",
    nothing: "Je n'ai rien retenu à ce sujet.",
    time: (time, date, zone) => `Il est ${time}, ${date} (${zone}).`,
    date: (date, zone) => `Nous sommes le ${date} (${zone}).`,
    noPlace: (place) => `Je ne connais pas le fuseau horaire de « ${place} ».`,
    page: (title) => `${title} dit, dans ses propres phrases :`,
    lacks: (tool) => `C'est impossible dans cette conversation : l'outil ${tool} n'est pas disponible.`,
    refused: "Vous ne l'avez pas autorisé, je ne l'ai donc pas fait.",
    failed: (reason) => `Cela a échoué : ${reason}`,
  },
}

const spanish: Language = {
  code: 'es',
  name: 'Spanish',
  words:
    'resume resúmeme lee yo tú él ella nosotros mi mis tu tus y o es son soy eres el los las un una unos del que qué quién cuál cuándo dónde por cómo con para en sobre puedes puede hacer hoy mañana ayer también muy bien tiempo escribe cuéntame traduce explica poema está hace favor necesito quiero me gusta cuánto',
  forms: {
    remind: r`(?:recu[eé]rda(?:me|nos)|av[ií]same),? (?<rest>.+)`,
    greet: r`(?:hola|buenos días|buenas(?: (?:tardes|noches))?|qué tal)(?: a todos| amigo)?`,
    thanks: r`(?:muchas )?gracias(?: por todo)?`,
    help: r`(?:¿?hablas (?:tú )?español|ayuda|ayúdame|qué (?:puedes|sabes) hacer|en qué (?:me )?puedes ayudar(?:me)?)`,
    time: r`(?:qué hora es|que hora es|dime la hora|la hora)(?: ahora)?(?: en (?<place>.+))?`,
    date: r`(?:qué (?:día|fecha) es(?: hoy)?|a qué (?:día )?estamos(?: hoy)?|cuál es la fecha(?: de hoy)?)`,
    recall: [
      r`(?<query>cómo me llamo|cuál es mi nombre|quién soy)`,
      r`(?:qué (?:sabes|recuerdas) (?:de|sobre|del)|te acuerdas (?:de|del)|recuerdas|qué te (?:dije|he dicho) (?:de|sobre)) (?<query>.+)`,
      r`(?<query>(?:qué|quién|dónde|cuándo|cuál|cómo) .*\b(?:mi|mis|yo|me)\b.*)`,
    ],
    name: r`(?:me llamo|mi nombre es|llámame) (?<name>\p{L}[\p{L} '-]*)`,
    remember: [
      r`(?:por favor,? )?(?:recuerda|acuérdate de|no olvides|anota|apunta|guarda|memoriza)[,:]?\s+(?:que\s+)?(?<content>.+)`,
      r`(?<content>(?:(?:a mí )?me (?:gusta|gustan|encanta|encantan)|odio|vivo en|trabajo (?:en|como)|prefiero|hablo|mi \p{L}+ es) .+)`,
    ],
  },
  reminders: {
    lead: /^(?:de |que )/iu,
    ask: '¿Qué debo recordarte, y cuándo? Por ejemplo: "Recuérdame mañana a las 17:00 llamar a Ada".',
    set: (task, moment) => `El recordatorio está puesto: ${task}, ${moment}.`,
  },
  say: {
    notice:
      'Soy el modelo sin conexión integrado: sigo reglas fijas y uso herramientas, pero no tengo conocimiento del mundo.',
    hello: '¡Hola! ¿Qué puedo hacer?',
    welcome: 'De nada.',
    help: 'En español puedo: recordar ("Recuerda que me gusta el té"), buscar en la memoria ("¿Qué sabes sobre el té?"), decir la hora, calcular y resumir páginas web. En inglés puedo hacer más ("help").',
    limit:
      'Eso no lo entiendo en español: solo conozco unas pocas frases (di "ayuda"). Para lo demás, añade un modelo en Settings → Providers, con una clave o un Ollama local.',
    saved: (content) => `Anotado: ${content}.`,
    met: (name) => `Mucho gusto, ${name}. Recordaré tu nombre.`,
    found: 'Esto es lo que recuerdo:',
    nothing: 'No tengo nada guardado sobre eso.',
    time: (time, date, zone) => `Son las ${time}, ${date} (${zone}).`,
    date: (date, zone) => `Hoy es ${date} (${zone}).`,
    noPlace: (place) => `No conozco la zona horaria de "${place}".`,
    page: (title) => `${title} dice, con sus propias frases:`,
    lacks: (tool) => `Eso no es posible en esta conversación: la herramienta ${tool} no está disponible.`,
    refused: 'No lo has aprobado, así que no lo he hecho.',
    failed: (reason) => `No ha funcionado: ${reason}`,
  },
}

const italian: Language = {
  code: 'it',
  name: 'Italian',
  words:
    "riassumi leggi io tu lui lei noi voi mio mia miei tuo e è sono sei il lo gli un una uno del della di che chi cosa quale quando dove perché come con per su puoi può fare oggi domani ieri anche molto bene tempo scrivi racconta traduci spiega poesia sta fa favore voglio mi piace cos'è dimmi quanto fa",
  forms: {
    greet: r`(?:ciao|buongiorno|buonasera|salve|buon giorno|buona sera)(?: a tutti)?`,
    thanks: r`(?:grazie|molte grazie|grazie mille)(?: (?:mille|tante))?`,
    help: r`(?:parli italiano|aiuto|aiutami|(?:che )?cosa (?:puoi|sai) fare|come puoi aiutarmi)`,
    time: r`(?:che (?:ora è|ore sono)|dimmi l'ora|l'ora)(?: adesso| ora)?(?: (?:a|in) (?<place>.+))?`,
    date: r`(?:che giorno è(?: oggi)?|qual è la data(?: di oggi)?|che data è(?: oggi)?)`,
    recall: [
      r`(?<query>come mi chiamo|qual è il mio nome|chi sono(?: io)?)`,
      r`(?:(?:che )?cosa (?:sai|ricordi) (?:di|su|del|dei|della|sul|sulla)|ti ricordi (?:di|del|della)|ricordi) (?<query>.+)`,
      r`(?<query>(?:che|cosa|chi|dove|quando|quale|qual|come) .*\b(?:mio|mia|miei|mie|mi|io)\b.*)`,
    ],
    name: r`(?:mi chiamo|il mio nome è|chiamami) (?<name>\p{L}[\p{L} '-]*)`,
    remember: [
      r`(?:per favore,? )?(?:ricorda(?:ti)?|non dimenticare|annota|memorizza|segna(?:ti)?|tieni a mente)[,:]?\s+(?:di\s+)?(?:che\s+)?(?<content>.+)`,
      r`(?<content>(?:mi (?:piace|piacciono)|amo|odio|abito|vivo|lavoro|preferisco|parlo|(?:il|la) mi[oa] \p{L}+ è) .+)`,
    ],
  },
  say: {
    notice:
      'Sono il modello offline integrato: seguo regole fisse e uso strumenti, ma non ho conoscenza del mondo.',
    hello: 'Ciao! Che cosa posso fare?',
    welcome: 'Prego.',
    help: `In italiano so: ricordare ("Ricorda che mi piace il tè"), cercare nella memoria ("Cosa sai del tè?"), dire l'ora, calcolare e riassumere pagine web. In inglese so fare di più ("help").`,
    limit: `Questo non lo capisco in italiano: conosco solo poche frasi (di' "aiuto"). Per il resto aggiungi un modello in Settings → Providers, con una chiave o un Ollama locale.`,
    saved: (content) => `Annotato: ${content}.`,
    met: (name) => `Piacere, ${name}. Ricorderò il tuo nome.`,
    found: 'Ecco che cosa ricordo:',
    nothing: 'Non ho niente in memoria su questo.',
    time: (time, date, zone) => `Sono le ${time}, ${date} (${zone}).`,
    date: (date, zone) => `Oggi è ${date} (${zone}).`,
    noPlace: (place) => `Non conosco il fuso orario di "${place}".`,
    page: (title) => `${title} dice, con le sue parole:`,
    lacks: (tool) => `In questa conversazione non è possibile: lo strumento ${tool} non è disponibile.`,
    refused: "Non l'hai approvato, quindi non l'ho fatto.",
    failed: (reason) => `Non è riuscito: ${reason}`,
  },
}

const portuguese: Language = {
  code: 'pt',
  name: 'Portuguese',
  words:
    'resume resuma lê eu tu você ele ela nós meu minha meus teu seu e ou é são sou os as um uma do da dos que quem qual quando onde porquê como com para em no na sobre pode podes consegue fazer hoje amanhã ontem também muito bem tempo escreve conta traduz explica poema está faz favor quero gosto não me diga o quanto',
  forms: {
    greet: r`(?:olá|oi|bom dia|boa (?:tarde|noite)|e aí)(?: a todos| pessoal)?`,
    thanks: r`(?:muito )?obrigad[oa](?: por tudo)?`,
    help: r`(?:(?:você )?falas? português|ajuda|ajude-me|me ajude|ajuda-me|o que (?:você )?(?:pode|podes|sabe|sabes|consegue) fazer|como (?:você )?(?:pode|podes) (?:me )?ajudar)`,
    time: r`(?:que horas são|que hora é|diga as horas|as horas)(?: agora)?(?: (?:em|no|na) (?<place>.+))?`,
    date: r`(?:que dia é(?: hoje)?|qual é a data(?: de hoje)?|que data é(?: hoje)?)`,
    recall: [
      r`(?<query>como (?:é que )?(?:eu )?me chamo|qual é o meu nome|quem sou eu)`,
      r`(?:o que (?:é que )?(?:você )?(?:sabe|sabes|lembra|lembras) (?:de|sobre|do|da)|(?:você )?(?:se )?lembra(?:s-te)? (?:de|do|da)) (?<query>.+)`,
      r`(?<query>(?:o que|que|quem|onde|quando|qual|como) .*\b(?:meu|minha|meus|minhas|eu)\b.*)`,
    ],
    name: r`(?:(?:eu )?me chamo|chamo-me|o meu nome é|meu nome é) (?<name>\p{L}[\p{L} '-]*)`,
    remember: [
      r`(?:por favor,? )?(?:lembra-te|lembre-se|lembre|lembra|não (?:se )?esque[çc]as?|anota|anote|guarda|guarde|memoriza|memorize)[,:]?\s+(?:de\s+)?(?:que\s+)?(?<content>.+)`,
      r`(?<content>(?:eu )?(?:gosto|adoro|odeio|moro|vivo|trabalho|prefiro|falo) .+|(?:o meu|a minha|meu|minha) \p{L}+ é .+)`,
    ],
  },
  say: {
    notice:
      'Sou o modelo offline integrado: sigo regras fixas e uso ferramentas, mas não tenho conhecimento do mundo.',
    hello: 'Olá! O que posso fazer?',
    welcome: 'De nada.',
    help: 'Em português consigo: guardar na memória ("Lembra-te que gosto de chá"), procurar nela ("O que sabes sobre chá?"), dizer as horas, calcular e resumir páginas web. Em inglês consigo mais ("help").',
    limit:
      'Isso não entendo em português: só conheço poucas frases (diz "ajuda"). Para o resto, adiciona um modelo em Settings → Providers, com uma chave ou um Ollama local.',
    saved: (content) => `Anotado: ${content}.`,
    met: (name) => `Prazer, ${name}. Vou lembrar-me do teu nome.`,
    found: 'Isto é o que guardei:',
    nothing: 'Não tenho nada guardado sobre isso.',
    time: (time, date, zone) => `São ${time}, ${date} (${zone}).`,
    date: (date, zone) => `Hoje é ${date} (${zone}).`,
    noPlace: (place) => `Não conheço o fuso horário de "${place}".`,
    page: (title) => `${title} diz, nas suas próprias frases:`,
    lacks: (tool) => `Nesta conversa não é possível: a ferramenta ${tool} não está disponível.`,
    refused: 'Não foi aprovado, por isso não o fiz.',
    failed: (reason) => `Não funcionou: ${reason}`,
  },
}

const dutch: Language = {
  code: 'nl',
  name: 'Dutch',
  words:
    'vat samen lees ik jij je wij jullie mij mijn jouw en of niet zijn ben bent het een deze die dat wie waar wanneer waarom hoe welke met voor op over van naar kun kunt kan heb hebt vandaag morgen gisteren ook nog al zeer weer uur schrijf toon vertaal vertel gedicht alsjeblieft graag maak geef wat hoeveel herinner',
  forms: {
    greet: r`(?:hallo daar|hoi|goedemorgen|goedemiddag|goedenavond|goedendag|dag)(?: allemaal)?`,
    thanks: r`(?:dank je(?: wel)?|dankjewel|bedankt|dank u(?: wel)?)`,
    help: r`(?:(?:spreek|praat) je nederlands|wat (?:kun|kan) je(?: (?:allemaal|doen|voor me doen))*|help me even|hoe (?:kun|kan) je (?:me )?helpen)`,
    time: r`(?:hoe laat is het|wat is de tijd|de tijd)(?: nu)?(?: in (?<place>.+))?`,
    date: r`(?:welke dag is het(?: vandaag)?|wat is de datum(?: vandaag)?|de hoeveelste is het(?: vandaag)?)`,
    recall: [
      r`(?<query>hoe heet ik|wat is mijn naam|wie ben ik)`,
      r`(?:wat weet je (?:nog )?(?:over|van)|herinner je je|weet je nog(?: van)?|wat heb ik je verteld over) (?<query>.+)`,
      r`(?<query>(?:wat|wie|waar|wanneer|welke|hoe) .*\b(?:mijn|ik|mij)\b.*)`,
    ],
    name: r`(?:ik heet|mijn naam is|noem me) (?<name>\p{L}[\p{L} '-]*)`,
    remember: [
      r`(?:onthoud|vergeet niet|noteer|bewaar|denk eraan)[,:]?\s+(?:alsjeblieft\s+)?(?:dat\s+)?(?<content>.+)`,
      r`(?<content>(?:ik (?:hou van|houd van|haat|woon|werk|drink|eet|spreek|vind)|mijn \p{L}+ (?:is|zijn|heet)) .+)`,
    ],
  },
  say: {
    notice:
      'Ik ben het ingebouwde offline model: ik volg vaste regels en gebruik hulpmiddelen, maar heb geen kennis van de wereld.',
    hello: 'Hallo! Wat kan ik doen?',
    welcome: 'Graag gedaan.',
    help: `In het Nederlands kan ik: iets onthouden ("Onthoud dat ik van thee hou"), het terugvinden ("Wat weet je over thee?"), de tijd zeggen, rekenen en webpagina's samenvatten. In het Engels kan ik meer ("help").`,
    limit:
      'Dat begrijp ik niet in het Nederlands: ik ken maar een paar zinnen (zeg "wat kun je"). Voeg voor de rest een model toe onder Settings → Providers, met een sleutel of een lokale Ollama.',
    saved: (content) => `Onthouden: ${content}.`,
    met: (name) => `Aangenaam, ${name}. Ik onthoud je naam.`,
    found: 'Dit heb ik onthouden:',
    nothing: 'Daarover heb ik niets bewaard.',
    time: (time, date, zone) => `Het is ${time} uur op ${date} (${zone}).`,
    date: (date, zone) => `Het is vandaag ${date} (${zone}).`,
    noPlace: (place) => `De tijdzone van "${place}" ken ik niet.`,
    page: (title) => `${title} zegt, in eigen zinnen:`,
    lacks: (tool) => `Dat kan niet in dit gesprek: het hulpmiddel ${tool} is niet beschikbaar.`,
    refused: 'Je hebt het niet goedgekeurd, dus heb ik het niet gedaan.',
    failed: (reason) => `Dat is mislukt: ${reason}`,
  },
}

const japanese: Language = {
  code: 'ja',
  name: 'Japanese',
  words: '',
  forms: {
    greet: r`(?:こんにちは|こんばんは|おはよう(?:ございます)?|やあ|もしもし|はじめまして)`,
    thanks: r`(?:どうも)?ありがとう(?:ございます|ございました)?`,
    help: r`.*(?:日本語(?:が|を|は)?(?:話せ|話しま|わかり|分かり|できま)|ヘルプ|助けて|手伝って|何ができ(?:ますか|るの|る)|なにができ).*`,
    time: r`(?:(?<place>.+?)(?:では|は|の時間は|で))?(?:今|いま)?、?(?:何時|なんじ)(?:ですか|なの|だ)?`,
    date: r`.*(?:今日|きょう)は?(?:何日|何曜日|なんにち).*`,
    recall: [
      r`.*(?<query>(?:私|僕|わたし|俺)の.+?)(?:は何|は|を覚え|って).*`,
      r`(?<query>.+?)(?:について|のこと)?(?:何を|を)?(?:覚えて(?:いますか|いる|る|ますか)|知って(?:いますか|いる|る|ますか))`,
    ],
    name: r`(?:私|僕|わたし|俺)(?:の名前)?は(?<name>[\p{L}]{1,20}?)(?:です|といいます|と申します)`,
    remember: [
      r`(?<content>.+?)を?、?(?:覚えて(?:おいて|ください|ね)?|記憶して|メモして|忘れないで)(?:おいて)?(?:ください|ね)?`,
      r`(?<content>(?:私|僕|わたし|俺)は.+(?:好き|嫌い|住んで|働いて).*)`,
    ],
  },
  say: {
    notice: '私は内蔵のオフラインモデルです。決まった規則で道具を使いますが、世の中の知識はありません。',
    hello: 'こんにちは。何をしましょうか。',
    welcome: 'どういたしまして。',
    help: '日本語でできること：覚える（「お茶が好きなことを覚えて」）、思い出す（「お茶について何を覚えていますか」）、時刻、計算、ウェブページの要約。英語ではもっとできます（"help"）。',
    limit:
      '日本語では少しの言い回ししか分かりません（「ヘルプ」と言ってください）。ほかのことは Settings → Providers でモデルを追加してください（キー、またはローカルの Ollama）。',
    saved: (content) => `覚えました：${content}`,
    met: (name) => `${name}さん、よろしくお願いします。お名前を覚えました。`,
    found: '覚えていること：',
    nothing: 'それについては何も覚えていません。',
    time: (time, date, zone) => `${date} ${time} です（${zone}）。`,
    date: (date, zone) => `今日は${date}です（${zone}）。`,
    noPlace: (place) => `「${place}」の時間帯は分かりません。`,
    page: (title) => `${title} の主な文：`,
    lacks: (tool) => `この会話では ${tool} が使えないので、できません。`,
    refused: '承認されなかったので、行いませんでした。',
    failed: (reason) => `失敗しました：${reason}`,
  },
}

const chinese: Language = {
  code: 'zh',
  name: 'Chinese',
  words: '',
  forms: {
    greet: r`(?:你好|您好|嗨|早上好|下午好|晚上好|大家好)[啊呀吗]?`,
    thanks: r`(?:多?谢谢|谢谢你|感谢|非常感谢)(?:你|您|了)?`,
    help: r`.*(?:(?:会|能)(?:说|讲)?中文|帮助|帮帮我|你(?:能|会|可以)(?:做|干)(?:些)?什么|有什么功能).*`,
    time: r`(?:现在)?(?:(?<place>.+?)(?:现在)?(?:是|的时间是)?)?几点(?:了|钟)?(?:了)?`,
    date: r`.*今天(?:是)?(?:几号|星期几|几月几号|什么日子).*`,
    recall: [
      r`(?<query>我(?:叫什么(?:名字)?|的名字是什么|是谁))`,
      r`(?:你)?(?:还)?(?:记得|知道)(?:关于)?(?<query>.+?)(?:的什么|什么|吗|的事)?`,
      r`关于(?<query>.+?)你(?:记得|知道)(?:什么|些什么)?`,
      r`(?<query>我.*(?:什么|哪里|哪儿|谁|几岁).*)`,
    ],
    name: r`(?:我叫|我的名字(?:是|叫))(?<name>[\p{L}·]{1,20})`,
    remember: [
      r`(?:请)?(?:帮我)?(?:你要)?(?:记住|记下|记一下|别忘了|不要忘记|保存)[，,：:]?\s*(?<content>.+)`,
      r`(?<content>我(?:喜欢|不喜欢|爱|讨厌|住在|在.+工作).+)`,
    ],
  },
  say: {
    notice: '我是内置的离线模型：我按固定规则使用工具，没有关于世界的知识。',
    hello: '你好！需要我做什么？',
    welcome: '不客气。',
    help: '我用中文可以：记住（“记住我喜欢茶”）、回忆（“你记得关于茶的什么？”）、报时、计算、摘要网页。用英文可以做更多（"help"）。',
    limit:
      '这句中文我不懂：我只认识很少的说法（请说“帮助”）。其他事情请在 Settings → Providers 添加模型（密钥，或本地 Ollama）。',
    saved: (content) => `记住了：${content}`,
    met: (name) => `很高兴认识你，${name}。我记住你的名字了。`,
    found: '我记得：',
    nothing: '关于这个我没有记录。',
    time: (time, date, zone) => `现在是${date} ${time}（${zone}）。`,
    date: (date, zone) => `今天是${date}（${zone}）。`,
    noPlace: (place) => `我不知道“${place}”的时区。`,
    page: (title) => `${title} 的主要内容：`,
    lacks: (tool) => `这个对话里没有工具 ${tool}，所以做不到。`,
    refused: '你没有批准，所以我没有做。',
    failed: (reason) => `失败了：${reason}`,
  },
}

export const LANGUAGES: readonly Language[] = [
  german,
  french,
  spanish,
  italian,
  portuguese,
  dutch,
  japanese,
  chinese,
]
