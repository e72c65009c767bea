import { form } from './types.ts'

/** The phrases of a language other than English. */
export type Act =
  | 'remind'
  | 'greet'
  | 'thanks'
  | 'help'
  | 'time'
  | 'date'
  | 'tomorrow'
  | 'jobs'
  | 'read'
  | 'recall'
  | 'name'
  | 'remember'

/**
 * The phrases that this model understands and uses in a language. If it has no form for something, it states
 * its limits.
 */
export interface Language {
  /** BCP 47, also used to format dates. */
  code: string
  name: string
  /** Frequent words that are not English. */
  words: ReadonlySet<string>
  /**
   * Patterns of whole sentences, tried in this order. Groups: `content`, `name`, `path`, `query`, `place`, `rest`.
   */
  forms: { act: Act; form: RegExp }[]
  /**
   * What precedes the task of a reminder, such as "to" in English. Only of languages that schedules are read
   * in.
   */
  lead?: RegExp
  /**
   * Sentences by name; `notice` is said once in a conversation, `ask` asks for the task and time of a
   * reminder.
   */
  say: Record<string, string>
}

/** A sentence of a language with its `{names}` filled in. */
export const sentence = ({ say }: Language, name: string, values: Record<string, string> = {}): string =>
  (say[name] ?? '').replace(/\{(\w+)\}/g, (all, key) => values[key] ?? all)

/** A language begins with its code and name; the indented lines are its words, forms and sentences. */
const table = String.raw`
de: German
  words: in an am fasse zusammen lies was rechne ich du wir ihr mich mir dich dir und oder nicht ist sind bin bist das der den dem ein eine einen mein meine meinen dein wie wer wo wann warum welche bitte mit für auf über von zu zum zur kannst könntest kann hast hat habe gibt heute morgen gestern auch noch schon sehr wetter uhr schreibe zeige übersetze erzähle erkläre gedicht
  remind: (erinnere?|wecke?) mich( bitte)?,? (?<rest>.+)
  greet: (hallo|hallöchen|guten (tag|morgen|abend)|moin( moin)?|servus|grüß (gott|dich)|hi du)( zusammen)?
  thanks: (danke(schön)?|vielen dank|dank dir)( (sehr|schön|dir))?
  help: (sprichst du deutsch|verstehst du deutsch|hilfe|hilf mir|was kannst du( (alles|tun|machen|für mich tun))*|wie kannst du (mir )?helfen)
  time: (wie spät ist es|wie viel uhr ist es|wieviel uhr (ist es|haben wir)|wie viel uhr haben wir|uhrzeit)( (jetzt|gerade))?( (in|auf) (?<place>.+))?
  date: (welcher tag ist heute|welches datum (ist heute|haben wir( heute)?)|den wievielten haben wir( heute)?|was ist heute für ein tag)
  tomorrow: (welcher tag|welches datum|welcher wochentag|was) (ist|haben wir) morgen( für ein (tag|wochentag|datum))?
  jobs: ((welche|was für) (erinnerungen|termine|wecker|jobs) (habe ich|gibt es|stehen an)( noch)?|(zeige?|liste)( mir)?( alle)?( meine)? (erinnerungen|wecker|jobs)( auf)?|meine erinnerungen)
  read: (lies|zeige?|zeige? mir)( die datei)? (?<path>[\p{L}\d_./-]+\.\p{L}{1,8})( vor)?
  recall: (?<query>wie (heiße|heisse) ich|wie ist mein name|wer bin ich)
  recall: (was weißt du (noch )?(über|von)|erinnerst du dich (noch )?an|woran erinnerst du dich (bei|zu)|was (habe ich dir|hab ich dir) (über|von|zu)) (?<query>.+?)( (gesagt|erzählt))?
  recall: (?<query>(was|wer|wo|wann|welche[rsn]?|wie) .*\b(mein\p{L}*|ich|mir)(?![\p{L}]).*)
  name: (ich (heiße|heisse)|mein name ist|nenn(e)? mich) (?<name>\p{L}[\p{L} '-]*)
  remember: (bitte )?(merke? dir|erinnere dich( daran)?|vergiss nicht|notiere?( dir)?|speichere?|denk daran)( bitte)?[,:]?\s+(dass\s+)?(?<content>.+)
  remember: (?<content>(ich (mag|liebe|hasse|wohne|lebe|arbeite|bevorzuge|trinke|esse|spreche)|mein[e]? \p{L}+ (ist|sind|hat|heißt)) .+)
  lead: ^(bitte\s+)?(daran|an)?[\s,:]*(dass )?
  say ask: Woran soll ich dich erinnern, und wann? Zum Beispiel: "Erinnere mich morgen um 17 Uhr daran, Ada anzurufen".
  say set: Die Erinnerung steht: {task}, {moment}.
  say notice: Ich bin das eingebaute Offline-Modell: Ich folge festen Regeln und benutze Werkzeuge, habe aber kein Weltwissen.
  say hello: Hallo! Was kann ich tun?
  say welcome: Gern geschehen.
  say help: Auf Deutsch kann ich: mir etwas merken ("Merke dir, dass ich Tee mag"), mich erinnern ("Was weißt du über Tee?"), die Uhrzeit sagen, rechnen und Webseiten zusammenfassen. Mehr kann ich auf Englisch ("help").
  say limit: Das verstehe ich auf Deutsch nicht: Ich kenne nur wenige deutsche Sätze (sag "Hilfe"). Für alles andere füge unter Settings → Model providers ein Modell hinzu, mit Schlüssel oder als lokales Ollama.
  say saved: Gemerkt: {content}.
  say met: Freut mich, {name}. Ich merke mir deinen Namen.
  say found: Das habe ich mir gemerkt:
  say nothing: Dazu habe ich nichts gespeichert.
  say time: Es ist {time} Uhr am {date} ({zone}).
  say date: Heute ist {date} ({zone}).
  say tomorrow: Morgen ist {date} ({zone}).
  say jobs: Deine Erinnerungen:
  say noJobs: Du hast keine Erinnerungen.
  say file: In {path} steht:
  say noPlace: Die Zeitzone von "{place}" kenne ich nicht.
  say page: {title} sagt, in eigenen Sätzen:
  say lacks: Das geht in diesem Gespräch nicht: Das Werkzeug {tool} ist nicht verfügbar.
  say refused: Du hast es nicht erlaubt, also habe ich es nicht getan.
  say failed: Das ist fehlgeschlagen: {reason}
fr: French
  words: on résume lis je tu il elle nous vous moi toi et ou est sont suis es le les la un une des du mon ma mes ton ta votre que qui quoi quel quelle quels où quand pourquoi comment avec pour dans sur s'il plaît plait peux peut pouvez fais faire aujourd'hui demain hier aussi très bien météo écris raconte traduis explique poème c'est j'aime qu'est combien font
  remind: rappelle[sz]?[- ]moi,? (?<rest>.+)
  greet: (bonjour|bonsoir|salut|coucou|allô)( à tous| toi)?
  thanks: merci( (beaucoup|bien|à toi))?
  help: ((parles-tu|parlez-vous|tu parles) (le )?français|aide|aide-moi|aidez-moi|à l'aide|que (peux-tu|sais-tu|pouvez-vous) faire|qu'est-ce que tu (peux|sais) faire|tu peux faire quoi)
  time: (quelle heure est[- ]il|il est quelle heure|quelle est l'heure|l'heure)( (maintenant|actuellement))?( (à|au|en) (?<place>.+))?
  date: (quel jour (sommes-nous|est-on|on est)|quelle (est la date|date (sommes-nous|est-on)))( aujourd'hui)?
  tomorrow: (quel jour (sommes-nous|est-on|serons-nous|est-ce)|quelle (est la date de|date serons-nous)) demain
  jobs: (quels (sont mes )?rappels( (ai-je|j'ai|sont prévus))?|(montre-moi|liste)? ?mes rappels)
  read: (lis|ouvre|montre|montre-moi)( le fichier)? (?<path>[\p{L}\d_./-]+\.\p{L}{1,8})
  recall: (?<query>comment (je m'appelle|est-ce que je m'appelle)|quel est mon nom|qui suis-je)
  recall: (que sais-tu (de|sur|à propos de)|qu'est-ce que tu sais (de|sur)|te souviens-tu (de|du)|tu te souviens (de|du)|que t'ai-je dit (de|sur)) (?<query>.+)
  recall: (?<query>((de|à|avec|pour|sur) )?(que|quoi|qui|où|quand|quel|comment|est-ce que j).*(\b(mon|ma|mes|je|moi)\b|j').*)
  name: (je m'appelle|mon nom est|appelle-moi) (?<name>\p{L}[\p{L} '-]*)
  remember: (souviens-toi|souvenez-vous|rappelle-toi|retiens|n'oublie pas|mémorise|note|enregistre)[,:]?\s+(bien\s+)?(que\s+|qu')?(?<content>.+)
  remember: (?<content>(j'aime|j'adore|je déteste|j'habite|je vis|je travaille|je préfère|je parle|mon \p{L}+ est|ma \p{L}+ est) .+)
  lead: ^(de |d['’]|que |qu['’])
  say ask: De quoi dois-je vous faire souvenir, et quand ? Par exemple : « Rappelle-moi demain à 17h d'appeler Ada ».
  say set: Le rappel est noté : {task}, {moment}.
  say notice: Je suis le modèle hors ligne intégré : je suis des règles fixes et j'utilise des outils, mais je n'ai aucune connaissance du monde.
  say hello: Bonjour ! Que puis-je faire ?
  say welcome: De rien.
  say help: En français, je sais : retenir (« Souviens-toi que j'aime le thé »), me souvenir (« Que sais-tu sur le thé ? »), donner l'heure, calculer et résumer une page web. En anglais, je sais en faire plus ("help").
  say limit: Je ne comprends pas cela en français : je ne connais que quelques phrases (dites « aide »). Pour le reste, ajoutez un modèle dans Settings → Model providers, avec une clé ou un Ollama local.
  say saved: C'est noté : {content}.
  say met: Enchanté, {name}. Je retiens votre nom.
  say found: Voici ce que j'ai retenu :
  say nothing: Je n'ai rien retenu à ce sujet.
  say time: Il est {time}, {date} ({zone}).
  say date: Nous sommes le {date} ({zone}).
  say tomorrow: Demain, nous serons le {date} ({zone}).
  say jobs: Vos rappels :
  say noJobs: Vous n'avez aucun rappel.
  say file: Voici {path} :
  say noPlace: Je ne connais pas le fuseau horaire de « {place} ».
  say page: {title} dit, dans ses propres phrases :
  say lacks: C'est impossible dans cette conversation : l'outil {tool} n'est pas disponible.
  say refused: Vous ne l'avez pas autorisé, je ne l'ai donc pas fait.
  say failed: Cela a échoué : {reason}
es: Spanish
  words: a resume resúmeme lee yo tú él ella nosotros mi mis tu tus y o es son soy eres el los las un una unos del que qué quién cuál cuándo dónde por cómo con para en sobre puedes puede hacer hoy mañana ayer también muy bien tiempo escribe cuéntame traduce explica poema está hace favor necesito quiero me gusta cuánto cuántos cuántas
  remind: (recu[eé]rda(me|nos)|av[ií]same),? (?<rest>.+)
  greet: (hola|buenos días|buenas( (tardes|noches))?|qué tal)( a todos| amigo)?
  thanks: (muchas )?gracias( por todo)?
  help: (¿?hablas (tú )?español|ayuda|ayúdame|qué (puedes|sabes) hacer|en qué (me )?puedes ayudar(me)?)
  time: (qué hora es|que hora es|dime la hora|la hora)( ahora)?( en (?<place>.+))?
  date: (qué (día|fecha) es( hoy)?|a qué (día )?estamos( hoy)?|cuál es la fecha( de hoy)?)
  tomorrow: (qué (día|fecha) (es|será)|a qué (día )?estamos) mañana
  jobs: ((qué|cuáles son mis) (recordatorios|alarmas)( (tengo|hay))?|(muéstrame |lista )?mis recordatorios)
  read: (lee|abre|muéstrame)( el (archivo|fichero))? (?<path>[\p{L}\d_./-]+\.\p{L}{1,8})
  recall: (?<query>cómo me llamo|cuál es mi nombre|quién soy)
  recall: (qué (sabes|recuerdas) (de|sobre|del)|te acuerdas (de|del)|recuerdas|qué te (dije|he dicho) (de|sobre)) (?<query>.+)
  recall: (?<query>((de|a|con|en|para) )?(qué|quién|dónde|cuándo|cuál|cómo) .*\b(mi|mis|yo|me)\b.*)
  name: (me llamo|mi nombre es|llámame) (?<name>\p{L}[\p{L} '-]*)
  remember: (por favor,? )?(recuerda|acuérdate de|no olvides|anota|apunta|guarda|memoriza)[,:]?\s+(que\s+)?(?<content>.+)
  remember: (?<content>((a mí )?me (gusta|gustan|encanta|encantan)|odio|vivo en|trabajo (en|como)|prefiero|hablo|mi \p{L}+ es) .+)
  lead: ^(de |que )
  say ask: ¿Qué debo recordarte, y cuándo? Por ejemplo: "Recuérdame mañana a las 17:00 llamar a Ada".
  say set: El recordatorio está puesto: {task}, {moment}.
  say notice: Soy el modelo sin conexión integrado: sigo reglas fijas y uso herramientas, pero no tengo conocimiento del mundo.
  say hello: ¡Hola! ¿Qué puedo hacer?
  say welcome: De nada.
  say help: En español puedo: recordar ("Recuerda que me gusta el té"), buscar en la memoria ("¿Qué sabes sobre el té?"), decir la hora, calcular y resumir páginas web. En inglés puedo hacer más ("help").
  say limit: Eso no lo entiendo en español: solo conozco unas pocas frases (di "ayuda"). Para lo demás, añade un modelo en Settings → Model providers, con una clave o un Ollama local.
  say saved: Anotado: {content}.
  say met: Mucho gusto, {name}. Recordaré tu nombre.
  say found: Esto es lo que recuerdo:
  say nothing: No tengo nada guardado sobre eso.
  say time: Son las {time}, {date} ({zone}).
  say date: Hoy es {date} ({zone}).
  say tomorrow: Mañana es {date} ({zone}).
  say jobs: Tus recordatorios:
  say noJobs: No tienes recordatorios.
  say file: Esto dice {path}:
  say noPlace: No conozco la zona horaria de "{place}".
  say page: {title} dice, con sus propias frases:
  say lacks: Eso no es posible en esta conversación: la herramienta {tool} no está disponible.
  say refused: No lo has aprobado, así que no lo he hecho.
  say failed: No ha funcionado: {reason}
it: Italian
  words: in a riassumi leggi io tu lui lei noi voi mio mia miei tuo e è sono sei il lo gli un una uno del della di che chi cosa quale quando dove perché come con per su puoi può fare oggi domani ieri anche molto bene tempo scrivi racconta traduci spiega poesia sta fa favore voglio mi piace cos'è dimmi quanto fa
  greet: (ciao|buongiorno|buonasera|salve|buon giorno|buona sera)( a tutti)?
  thanks: (grazie|molte grazie|grazie mille)( (mille|tante))?
  help: (parli italiano|aiuto|aiutami|(che )?cosa (puoi|sai) fare|come puoi aiutarmi)
  time: (che (ora è|ore sono)|dimmi l'ora|l'ora)( adesso| ora)?( (a|in) (?<place>.+))?
  date: (che giorno è( oggi)?|qual è la data( di oggi)?|che data è( oggi)?)
  tomorrow: che (giorno|data) (è|sarà) domani
  jobs: ((che|quali|quali sono i miei) (promemoria|sveglie)( (ho|ci sono))?|(mostrami |elenca )?i miei promemoria)
  read: (leggi|apri|mostrami)( il file)? (?<path>[\p{L}\d_./-]+\.\p{L}{1,8})
  recall: (?<query>come mi chiamo|qual è il mio nome|chi sono( io)?)
  recall: ((che )?cosa (sai|ricordi) (di|su|del|dei|della|sul|sulla)|ti ricordi (di|del|della)|ricordi) (?<query>.+)
  recall: (?<query>((di|a|con|in|per) )?(che|cosa|chi|dove|quando|quale|qual|come) .*\b(mio|mia|miei|mie|mi|io)\b.*)
  name: (mi chiamo|il mio nome è|chiamami) (?<name>\p{L}[\p{L} '-]*)
  remember: (per favore,? )?(ricorda(ti)?|non dimenticare|annota|memorizza|segna(ti)?|tieni a mente)[,:]?\s+(di\s+)?(che\s+)?(?<content>.+)
  remember: (?<content>(mi (piace|piacciono)|amo|odio|abito|vivo|lavoro|preferisco|parlo|(il|la) mi[oa] \p{L}+ è) .+)
  say notice: Sono il modello offline integrato: seguo regole fisse e uso strumenti, ma non ho conoscenza del mondo.
  say hello: Ciao! Che cosa posso fare?
  say welcome: Prego.
  say help: In italiano so: ricordare ("Ricorda che mi piace il tè"), cercare nella memoria ("Cosa sai del tè?"), dire l'ora, calcolare e riassumere pagine web. In inglese so fare di più ("help").
  say limit: Questo non lo capisco in italiano: conosco solo poche frasi (di' "aiuto"). Per il resto aggiungi un modello in Settings → Model providers, con una chiave o un Ollama locale.
  say saved: Annotato: {content}.
  say met: Piacere, {name}. Ricorderò il tuo nome.
  say found: Ecco che cosa ricordo:
  say nothing: Non ho niente in memoria su questo.
  say time: Sono le {time}, {date} ({zone}).
  say date: Oggi è {date} ({zone}).
  say tomorrow: Domani è {date} ({zone}).
  say jobs: I tuoi promemoria:
  say noJobs: Non hai promemoria.
  say file: Ecco {path}:
  say noPlace: Non conosco il fuso orario di "{place}".
  say page: {title} dice, con le sue parole:
  say lacks: In questa conversazione non è possibile: lo strumento {tool} non è disponibile.
  say refused: Non l'hai approvato, quindi non l'ho fatto.
  say failed: Non è riuscito: {reason}
pt: Portuguese
  words: a no resume resuma lê eu tu você ele ela nós meu minha meus teu seu e ou é são sou os as um uma do da dos que quem qual quando onde porquê como com para em no na sobre pode podes consegue fazer hoje amanhã ontem também muito bem tempo escreve conta traduz explica poema está faz favor quero gosto não me diga o quanto
  greet: (olá|oi|bom dia|boa (tarde|noite)|e aí)( a todos| pessoal)?
  thanks: (muito )?obrigad[oa]( por tudo)?
  help: ((você )?falas? português|ajuda|ajude-me|me ajude|ajuda-me|o que (você )?(pode|podes|sabe|sabes|consegue) fazer|como (você )?(pode|podes) (me )?ajudar)
  time: (que horas são|que hora é|diga as horas|as horas)( agora)?( (em|no|na) (?<place>.+))?
  date: (que dia é( hoje)?|qual é a data( de hoje)?|que data é( hoje)?)
  tomorrow: que (dia|data) (é|será) amanhã
  jobs: ((que|quais|quais são os meus) (lembretes|alarmes)( (eu )?(tenho|há))?|(mostra-me |mostre |lista )?(os )?meus lembretes)
  read: (lê|leia|abre|abra|mostra)( o (ficheiro|arquivo))? (?<path>[\p{L}\d_./-]+\.\p{L}{1,8})
  recall: (?<query>como (é que )?(eu )?me chamo|qual é o meu nome|quem sou eu)
  recall: (o que (é que )?(você )?(sabe|sabes|lembra|lembras) (de|sobre|do|da)|(você )?(se )?lembra(s-te)? (de|do|da)) (?<query>.+)
  recall: (?<query>((de|a|com|em|para) )?(o que|que|quem|onde|quando|qual|como) .*\b(meu|minha|meus|minhas|eu)\b.*)
  name: ((eu )?me chamo|chamo-me|o meu nome é|meu nome é) (?<name>\p{L}[\p{L} '-]*)
  remember: (por favor,? )?(lembra-te|lembre-se|lembre|lembra|não (se )?esque[çc]as?|anota|anote|guarda|guarde|memoriza|memorize)[,:]?\s+(de\s+)?(que\s+)?(?<content>.+)
  remember: (?<content>(eu )?(gosto|adoro|odeio|moro|vivo|trabalho|prefiro|falo) .+|(o meu|a minha|meu|minha) \p{L}+ é .+)
  say notice: Sou o modelo offline integrado: sigo regras fixas e uso ferramentas, mas não tenho conhecimento do mundo.
  say hello: Olá! O que posso fazer?
  say welcome: De nada.
  say help: Em português consigo: guardar na memória ("Lembra-te que gosto de chá"), procurar nela ("O que sabes sobre chá?"), dizer as horas, calcular e resumir páginas web. Em inglês consigo mais ("help").
  say limit: Isso não entendo em português: só conheço poucas frases (diz "ajuda"). Para o resto, adiciona um modelo em Settings → Model providers, com uma chave ou um Ollama local.
  say saved: Anotado: {content}.
  say met: Prazer, {name}. Vou lembrar-me do teu nome.
  say found: Isto é o que guardei:
  say nothing: Não tenho nada guardado sobre isso.
  say time: São {time}, {date} ({zone}).
  say date: Hoje é {date} ({zone}).
  say tomorrow: Amanhã é {date} ({zone}).
  say jobs: Os teus lembretes:
  say noJobs: Não tens lembretes.
  say file: Isto está em {path}:
  say noPlace: Não conheço o fuso horário de "{place}".
  say page: {title} diz, nas suas próprias frases:
  say lacks: Nesta conversa não é possível: a ferramenta {tool} não está disponível.
  say refused: Não foi aprovado, por isso não o fiz.
  say failed: Não funcionou: {reason}
nl: Dutch
  words: in is vat samen lees ik jij je wij jullie mij mijn jouw en of niet zijn ben bent het een deze die dat wie waar wanneer waarom hoe welke met voor op over van naar kun kunt kan heb hebt vandaag morgen gisteren ook nog al zeer weer uur schrijf toon vertaal vertel gedicht alsjeblieft graag maak geef wat hoeveel herinner
  greet: (hallo daar|hoi|goedemorgen|goedemiddag|goedenavond|goedendag|dag)( allemaal)?
  thanks: (dank je( wel)?|dankjewel|bedankt|dank u( wel)?)
  help: ((spreek|praat) je nederlands|wat (kun|kan) je( (allemaal|doen|voor me doen))*|help me even|hoe (kun|kan) je (me )?helpen)
  time: (hoe laat is het|wat is de tijd|de tijd)( nu)?( in (?<place>.+))?
  date: (welke dag is het( vandaag)?|wat is de datum( vandaag)?|de hoeveelste is het( vandaag)?)
  tomorrow: (welke (dag|datum)|wat voor dag) is het morgen
  jobs: (welke (herinneringen|wekkers) (heb ik|zijn er)|(toon )?mijn herinneringen)
  read: (lees|toon)( het bestand)? (?<path>[\p{L}\d_./-]+\.\p{L}{1,8})
  recall: (?<query>hoe heet ik|wat is mijn naam|wie ben ik)
  recall: (wat weet je (nog )?(over|van)|herinner je je|weet je nog( van)?|wat heb ik je verteld over) (?<query>.+)
  recall: (?<query>(wat|wie|waar|wanneer|welke|hoe) .*\b(mijn|ik|mij)\b.*)
  name: (ik heet|mijn naam is|noem me) (?<name>\p{L}[\p{L} '-]*)
  remember: (onthoud|vergeet niet|noteer|bewaar|denk eraan)[,:]?\s+(alsjeblieft\s+)?(dat\s+)?(?<content>.+)
  remember: (?<content>(ik (hou van|houd van|haat|woon|werk|drink|eet|spreek|vind)|mijn \p{L}+ (is|zijn|heet)) .+)
  say notice: Ik ben het ingebouwde offline model: ik volg vaste regels en gebruik hulpmiddelen, maar heb geen kennis van de wereld.
  say hello: Hallo! Wat kan ik doen?
  say welcome: Graag gedaan.
  say help: In het Nederlands kan ik: iets onthouden ("Onthoud dat ik van thee hou"), het terugvinden ("Wat weet je over thee?"), de tijd zeggen, rekenen en webpagina's samenvatten. In het Engels kan ik meer ("help").
  say limit: Dat begrijp ik niet in het Nederlands: ik ken maar een paar zinnen (zeg "wat kun je"). Voeg voor de rest een model toe onder Settings → Model providers, met een sleutel of een lokale Ollama.
  say saved: Onthouden: {content}.
  say met: Aangenaam, {name}. Ik onthoud je naam.
  say found: Dit heb ik onthouden:
  say nothing: Daarover heb ik niets bewaard.
  say time: Het is {time} uur op {date} ({zone}).
  say date: Het is vandaag {date} ({zone}).
  say tomorrow: Morgen is het {date} ({zone}).
  say jobs: Je herinneringen:
  say noJobs: Je hebt geen herinneringen.
  say file: Dit staat in {path}:
  say noPlace: De tijdzone van "{place}" ken ik niet.
  say page: {title} zegt, in eigen zinnen:
  say lacks: Dat kan niet in dit gesprek: het hulpmiddel {tool} is niet beschikbaar.
  say refused: Je hebt het niet goedgekeurd, dus heb ik het niet gedaan.
  say failed: Dat is mislukt: {reason}
ja: Japanese
  greet: (こんにちは|こんばんは|おはよう(ございます)?|やあ|もしもし|はじめまして)
  thanks: (どうも)?ありがとう(ございます|ございました)?
  help: .*(日本語(が|を|は)?(話せ|話しま|わかり|分かり|できま)|ヘルプ|助けて|手伝って|何ができ(ますか|るの|る)|なにができ).*
  time: ((?<place>.+?)(では|は|の時間は|で))?(今|いま)?、?(何時|なんじ)(ですか|なの|だ)?
  date: .*(今日|きょう)は?(何日|何曜日|なんにち).*
  tomorrow: .*(明日|あした)は?(何日|何曜日|なんにち).*
  jobs: .*(リマインダー|予定)(は|を|の)?(何|なに|一覧|教えて|見せて|ありますか).*
  read: (?<path>[\p{L}\d_./-]+\.\p{L}{1,8})を?(読んで|見せて|開いて).*
  recall: .*(?<query>(私|僕|わたし|俺)の.+?)(は(何|なに|いつ|どこ|誰|だれ|どれ|いくつ|どんな)|を覚えて(い|る)|って(何|なに|誰|どこ|いつ)).*
  recall: (?<query>(私|僕|わたし|俺)の.+?)は
  recall: (?<query>.+?)(について|のこと)?(何を|を)?(覚えて(いますか|いる|る|ますか)|知って(いますか|いる|る|ますか))
  name: (私|僕|わたし|俺)(の名前)?は(?<name>[\p{L}]{1,20}?)(です|といいます|と申します)
  remember: (?<content>.+?)を?、?(覚えて(おいて|ください|ね)?|記憶して|メモして|忘れないで)(おいて)?(ください|ね)?
  remember: (?<content>(私|僕|わたし|俺)は.+(好き|嫌い|住んで|働いて).*)
  say notice: 私は内蔵のオフラインモデルです。決まった規則で道具を使いますが、世の中の知識はありません。
  say hello: こんにちは。何をしましょうか。
  say welcome: どういたしまして。
  say help: 日本語でできること：覚える（「お茶が好きなことを覚えて」）、思い出す（「お茶について何を覚えていますか」）、時刻、計算、ウェブページの要約。英語ではもっとできます（"help"）。
  say limit: 日本語では少しの言い回ししか分かりません（「ヘルプ」と言ってください）。ほかのことは Settings → Model providers でモデルを追加してください（キー、またはローカルの Ollama）。
  say saved: 覚えました：{content}
  say met: {name}さん、よろしくお願いします。お名前を覚えました。
  say found: 覚えていること：
  say nothing: それについては何も覚えていません。
  say time: {date} {time} です（{zone}）。
  say date: 今日は{date}です（{zone}）。
  say tomorrow: 明日は{date}です（{zone}）。
  say jobs: リマインダー：
  say noJobs: リマインダーはありません。
  say file: {path} の内容：
  say noPlace: 「{place}」の時間帯は分かりません。
  say page: {title} の主な文：
  say lacks: この会話では {tool} が使えないので、できません。
  say refused: 承認されなかったので、行いませんでした。
  say failed: 失敗しました：{reason}
zh: Chinese
  greet: (你好|您好|嗨|早上好|下午好|晚上好|大家好)[啊呀吗]?
  thanks: (多?谢谢|谢谢你|感谢|非常感谢)(你|您|了)?
  help: .*((会|能)(说|讲)?中文|帮助|帮帮我|你(能|会|可以)(做|干)(些)?什么|有什么功能).*
  time: (现在)?((?<place>.+?)(现在)?(是|的时间是)?)?几点(了|钟)?(了)?
  date: .*今天(是)?(几号|星期几|几月几号|什么日子).*
  tomorrow: .*明天(是)?(几号|星期几|几月几号).*
  jobs: .*(我有(哪些|什么)|列出|显示)(我的)?(提醒|闹钟).*
  read: (请)?(读|读取|打开|显示)(一下)?(文件)?(?<path>[\p{L}\d_./-]+\.\p{L}{1,8})
  recall: (?<query>我(叫什么(名字)?|的名字是什么|是谁))
  recall: (你)?(还)?(记得|知道)(关于)?(?<query>.+?)(的什么|什么|吗|的事)?
  recall: 关于(?<query>.+?)你(记得|知道)(什么|些什么)?
  recall: (?<query>我.*(什么|哪里|哪儿|谁|几岁).*)
  name: (我叫|我的名字(是|叫))(?<name>[\p{L}·]{1,20})
  remember: (请)?(帮我)?(你要)?(记住|记下|记一下|别忘了|不要忘记|保存)[，,：:]?\s*(?<content>.+)
  remember: (?<content>我(喜欢|不喜欢|爱|讨厌|住在|在.+工作).+)
  say notice: 我是内置的离线模型：我按固定规则使用工具，没有关于世界的知识。
  say hello: 你好！需要我做什么？
  say welcome: 不客气。
  say help: 我用中文可以：记住（“记住我喜欢茶”）、回忆（“你记得关于茶的什么？”）、报时、计算、摘要网页。用英文可以做更多（"help"）。
  say limit: 这句中文我不懂：我只认识很少的说法（请说“帮助”）。其他事情请在 Settings → Model providers 添加模型（密钥，或本地 Ollama）。
  say saved: 记住了：{content}
  say met: 很高兴认识你，{name}。我记住你的名字了。
  say found: 我记得：
  say nothing: 关于这个我没有记录。
  say time: 现在是{date} {time}（{zone}）。
  say date: 今天是{date}（{zone}）。
  say tomorrow: 明天是{date}（{zone}）。
  say jobs: 你的提醒：
  say noJobs: 你没有提醒。
  say file: {path} 的内容：
  say noPlace: 我不知道“{place}”的时区。
  say page: {title} 的主要内容：
  say lacks: 这个对话里没有工具 {tool}，所以做不到。
  say refused: 你没有批准，所以我没有做。
  say failed: 失败了：{reason}
`

export const LANGUAGES: readonly Language[] = table
  .split(/\n(?=\w)/)
  .slice(1)
  .map(languageOf)

function languageOf(text: string): Language {
  const [[code, name] = ['', ''], ...lines] = text
    .trim()
    .split('\n')
    .map((line) => split(line.trim()))
  const language: Language = { code, name, words: new Set(), forms: [], say: {} }
  for (const [key, value] of lines)
    if (key === 'words') language.words = new Set(value.split(' '))
    else if (key === 'lead') language.lead = new RegExp(value, 'iu')
    else if (key.startsWith('say ')) language.say[key.slice(4)] = value
    // One line: what follows a word that was found always matches, so nothing is tried twice.
    else language.forms.push({ act: key as Act, form: form(`(?=.*$)(${value})`, 'iu') })
  return language
}

function split(line: string): [key: string, value: string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon), line.slice(colon + 2)]
}
