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
  | 'who'
  | 'until'
  | 'day'
  | 'convert'
  | 'write'
  | 'append'
  | 'files'
  | 'cancel'
  | 'add'
  | 'list'
  | 'coin'
  | 'dice'

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
   * Patterns of whole sentences, tried in this order. Groups: `content`, `name`, `path` (written FILE), `query`,
   * `place`, `rest`, `date`, `from`, `to`, `into`.
   */
  forms: { act: Act; form: RegExp }[]
  /** What precedes the task of a reminder, such as "to" in English. */
  lead: RegExp
  /** Words for times, holidays and units as `words=English; …`, in the order in which they are replaced. */
  gloss: string
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
  remind: (erinnere?|wecke?) mich( bitte)?,? (?<rest>.+)|(stelle?|mache?)( mir|bitte)* (einen |den )?(?<name>wecker|timer) (?<rest>.+)|(?<rest>jede[nrs]? [^:]{3,60}: .+)
  greet: (wie geht('s| es)( dir| ihnen)?( heute)?|hallo|hallöchen|guten (tag|morgen|abend)|moin( moin)?|servus|grüß (gott|dich)|hi du)( zusammen)?
  thanks: (danke(schön)?|vielen dank|dank dir)( (sehr|schön|dir))?
  help: (sprichst du deutsch|verstehst du deutsch|hilfe|hilf mir|was kannst du( (alles|tun|machen|für mich tun))*|wie kannst du (mir )?helfen)
  time: (wie spät ist es|wie viel uhr ist es|wieviel uhr (ist es|haben wir)|wie viel uhr haben wir|uhrzeit)( (jetzt|gerade))?( (in|auf) (?<place>.+))?
  date: (welcher tag ist heute|welches datum (ist heute|haben wir( heute)?)|den wievielten haben wir( heute)?|was ist heute für ein tag)
  tomorrow: (welcher tag|welches datum|welcher wochentag|was) (ist|haben wir) morgen( für ein (tag|wochentag|datum))?
  jobs: ((welche|was für) (erinnerungen|termine|wecker|jobs) (habe ich|gibt es|stehen an)( noch)?|(zeige?|liste)( mir)?( alle)?( meine)? (erinnerungen|wecker|jobs)( auf)?|meine erinnerungen)
  read: (lies|zeige?|zeige? mir)( die datei)? FILE( vor)?
  who: (wer|was) bist du( eigentlich| denn)?
  write: (schreibe?|speichere?|notiere?) (?<content>.+?) (in|nach)( (die|eine))?( neue)?( datei)? FILE|(erstelle?|lege?)( (mir|bitte))?( eine)?( neue)? datei( namens)? FILE( an)? mit( dem)?( (text|inhalt))? (?<content>.+)
  append: (füge?|hänge?|ergänze) (?<content>.+?) (zu[rm]?|an|in)( die)?( datei)? FILE( (hinzu|an|ein))?
  read: was (steht|ist) in( der datei)? FILE( drin)?
  files: ((zeige?|liste?)( mir)?( alle)?( meine| die)? dateien( auf| an)?|welche dateien (habe ich|gibt es))
  cancel: (lösche?|streiche?|entferne?)( bitte)?( die| den| meinen?)? (erinnerung|wecker|termin)( (an|für|mit|zu[rm]?|um))?( (den|die|das|der|dem))? (?<name>.+)
  add: (setze?|schreibe?|füge?|packe?|tue?) (?<content>.+?) (auf|zu[rm]?)( (meine[rn]?|die|der))? (einkaufsliste|einkaufszettel|aufgabenliste|to-?do-?liste|liste)( hinzu)?
  list: (was (steht|ist) (noch )?auf|zeige?( mir)?)( (meine[rnm]?|die|der|dem))? (einkaufsliste|einkaufszettel|aufgabenliste|to-?do-?liste|liste)( an)?
  coin: (wirf|werfe)( (mir|bitte))? (eine )?münze|kopf oder zahl
  dice: (würfe?le?)( (bitte|mal|für mich))*|(wirf|werfe)( (einen|den))? würfel
  recall: (?<query>wie (heiße|heisse) ich|wie ist mein name|wer bin ich)
  recall: (was weißt du (noch )?(über|von)|erinnerst du dich (noch )?an|woran erinnerst du dich (bei|zu)|was (habe ich dir|hab ich dir) (über|von|zu)) (?<query>.+?)( (gesagt|erzählt))?
  recall: (?<query>(was|wer|wo\p{L}*|wann|welche[rsn]?|wie) .*\b(mein\p{L}*|ich|mir)(?![\p{L}]).*)
  name: (ich (heiße|heisse)|mein name ist|nenn(e)? mich) (?<name>\p{L}[\p{L} '-]*)
  remember: (bitte )?(merke? dir|erinnere dich( daran)?|vergiss nicht|notiere?( dir)?|speichere?|denk daran)( bitte)?[,:]?\s+(dass\s+)?(?<content>.+)
  remember: (?<content>(ich (mag|liebe|hasse|wohne|lebe|arbeite|bevorzuge|trinke|esse|spreche|bin (allergisch|verheiratet|geboren|vegetarier\p{L}*|veganer\p{L}*))|meine? [\p{L}-]+ (ist|sind|hat|heißt|heißen|wohnt|lebt|arbeitet|steht|liegt)) .+)
  until: (wie ?viele? tage( sind es| dauert es)?( noch)? bis|wie lange( ist es| dauert es)?( noch)? bis|wann ist)( zu[rm]?)? (?<date>.+?)( noch)?
  day: (welcher (tag|wochentag)|welches datum|was für ein (tag|wochentag|datum)) (ist|war|haben wir)( es)? (?<date>.+)
  convert: (wie ?viele? (?<to>\p{L}+) (sind|ist|hat|haben) |(rechne|wandle) |(was|wie ?viel) (sind|ist) )?(?<from>(\d[\d.,]*|eine?) ?\p{L}[\p{L} ]{0,30}?)( (in|nach) (?<into>\p{L}[\p{L} ]{0,30}?)( um)?)?
  lead: ^(bitte\s+)?(daran|an( (den|die|das|meinen?))?)?[\s,:]*(dass )?
  gloss: (weihnachten|weihnachtstag)=christmas; heiligabend=christmas eve; silvester=new year's eve; neujahr=new year; ostern=easter; meilen?=miles; (kilometern?)=km; zentimetern?=cm; metern?=m; (fuß|fuss)=feet; zoll=inches; unzen?=oz; gramm=g; (kilo|kilogramm)=kg; litern?=l; gallonen?=gallons; grad=degrees; stunden?=hours; minuten?=minutes
  say ask: Woran soll ich dich erinnern, und wann? Zum Beispiel: "Erinnere mich morgen um 17 Uhr daran, Ada anzurufen".
  say set: Die Erinnerung steht: {task}, {moment}.
  say notice: Ich bin das eingebaute Offline-Modell: Ich folge festen Regeln und benutze Werkzeuge, habe aber kein Weltwissen.
  say hello: Hallo! Was kann ich tun?
  say welcome: Gern geschehen.
  say help: Auf Deutsch kann ich: mir etwas merken ("Merke dir, dass ich Tee mag") und es wiederfinden ("Was weißt du über Tee?"), dich erinnern ("Erinnere mich morgen um 9 an die Post"), Zeit und Datum sagen, rechnen und umrechnen, Dateien schreiben und lesen, eine Einkaufsliste führen und Webseiten zusammenfassen. Auf Englisch kann ich noch mehr ("help").
  say limit: Das verstehe ich auf Deutsch nicht: Ich kenne nur wenige deutsche Sätze (sag "Hilfe"). Für alles andere füge unter Settings → Model providers ein Modell hinzu, mit Schlüssel oder als lokales Ollama.
  say saved: Gemerkt: {content}.
  say secret: Ich habe es ohne das Passwort gemerkt: Geheimnisse speichere ich nicht.
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
  say until: Noch {days} bis {date}.
  say wrote: Gespeichert in {path}.
  say cancelled: Gelöscht: {name}.
  say empty: Hier ist noch nichts.
  say coin: Kopf/Zahl
  say rates: Wechselkurse kenne ich nicht: Sie ändern sich, und ich habe keine Quelle dafür.
  say lacks: Das geht in diesem Gespräch nicht: Das Werkzeug {tool} ist nicht verfügbar.
  say refused: Du hast es nicht erlaubt, also habe ich es nicht getan.
  say failed: Das ist fehlgeschlagen: {reason}
fr: French
  words: on résume lis je tu il elle nous vous moi toi et ou est sont suis es le les la un une des du mon ma mes ton ta votre que qui quoi quel quelle quels où quand pourquoi comment avec pour dans sur s'il plaît plait peux peut pouvez fais faire aujourd'hui demain hier aussi très bien météo écris raconte traduis explique poème c'est j'aime qu'est combien font
  remind: (rappelle[sz]?|réveille[sz]?)[- ]moi,? (?<rest>.+)|(mets|règle|programme)(-moi)? (une? |le )?(?<name>réveil|alarme|minuteur) (?<rest>.+)|(?<rest>(chaque|tous les|toutes les) [^:]{3,60}: .+)
  greet: (bonjour|bonsoir|salut|coucou|allô|(salut,? |bonjour,? )?(comment )?(ça va|vas-tu|allez-vous))( à tous| toi)?
  thanks: merci( (beaucoup|bien|à toi))?
  help: ((parles-tu|parlez-vous|tu parles) (le )?français|aide|aide-moi|aidez-moi|à l'aide|que (peux-tu|sais-tu|pouvez-vous) faire|qu'est-ce que tu (peux|sais) faire|tu peux faire quoi)
  time: (quelle heure est[- ]il|il est quelle heure|quelle est l'heure|l'heure)( (maintenant|actuellement))?( (à|au|en) (?<place>.+))?
  date: (quel jour (sommes-nous|est-on|on est)|quelle (est la date|date (sommes-nous|est-on)))( aujourd'hui)?
  tomorrow: (quel jour (sommes-nous|est-on|serons-nous|est-ce)|quelle (est la date de|date serons-nous)) demain
  jobs: (quels (sont mes )?rappels( (ai-je|j'ai|sont prévus))?|(montre-moi|liste)? ?mes rappels)
  read: (lis|ouvre|montre|montre-moi)( le fichier)? FILE
  who: ((mais )?qui es[- ]tu|tu es qui|qui êtes[- ]vous|t'es qui)
  write: (écris|enregistre|note|mets) (?<content>.+?) dans( (le|un))?( nouveau)?( fichier)? FILE|crée[zr]?( (un|le))?( nouveau)? fichier( (nommé|appelé))? FILE (avec|contenant)( le (texte|contenu))? (?<content>.+)
  append: (ajoute|rajoute) (?<content>.+?) (à|au|dans)( (le|la))?( fichier)? FILE
  read: (qu'y a-t-il|qu'est-ce qu'il y a|que contient|que dit)( dans)?( le fichier)? FILE
  files: ((liste|montre|montre-moi|affiche)( tous)?( mes| les) fichiers|quels fichiers (ai-je|y a-t-il)|quels sont mes fichiers)
  cancel: (annule|supprime|efface|enlève)( (le|la|mon|ma))? (rappel|alarme)( (de la|de l'|de|du|des|d'|pour|sur)( (le|la|les|l'))?)? ?(?<name>.+)
  add: (ajoute|mets|rajoute|note) (?<content>.+?) (à|sur|dans) (ma |la )?liste( (de|des) (courses|tâches|choses à faire))?
  list: ((qu'y a-t-il|qu'est-ce qu'il y a|que contient)( sur| dans)?|montre(-moi)?|affiche) (ma |la )?liste( (de|des) (courses|tâches|choses à faire))?
  coin: (lance|tire) (une |la )?pièce|pile ou face
  dice: (lance|jette|tire) (un|le|les|deux) dés?
  recall: (?<query>comment (je m'appelle|est-ce que je m'appelle)|quel est mon nom|qui suis-je)
  recall: (que sais-tu (de|sur|à propos de)|qu'est-ce que tu sais (de|sur)|te souviens-tu (de|du)|tu te souviens (de|du)|que t'ai-je dit (de|sur)) (?<query>.+)
  recall: (?<query>((de|à|avec|pour|sur) )?(que|quoi|qui|où|quand|quelle?s?|comment|c'est quoi|est-ce que j).*(\b(mon|ma|mes|je|moi)\b|j').*)
  name: (je m'appelle|mon nom est|appelle-moi) (?<name>\p{L}[\p{L} '-]*)
  remember: (souviens-toi|souvenez-vous|rappelle-toi|retiens|n'oublie pas|mémorise|note|enregistre)[,:]?\s+(bien\s+)?(que\s+|qu')?(?<content>.+)
  remember: (?<content>(j'aime|j'adore|je déteste|j'habite|je vis|je travaille|je préfère|je parle|je suis (allergique|né|née|végétarien|végétarienne|marié|mariée)|(mon|ma) [\p{L}-]+ (est|a|s'appelle|habite|travaille)|mes [\p{L}-]+ sont) .+)
  until: ((dans )?combien de jours( reste-t-il| y a-t-il| il reste)?( encore)? (avant|jusqu'à|jusqu'au)|quand est|c'est quand) (?<date>.+)
  day: (quel jour|quelle date) (serons-nous|sera-t-on|sommes-nous|est-ce|sera-ce|on sera|c'est|tombe|est) (?<date>.+)
  convert: (combien (de |d')(?<to>\p{L}+) (font|fait|valent|dans|y a-t-il dans|pour|sont) |combien (font|fait|valent) |convertis(sez)? )?(?<from>(\d[\d.,]*|une?) ?\p{L}[\p{L} ]{0,30}?)( (en|vers) (?<into>\p{L}[\p{L} ]{0,30}))?
  lead: ^(de |d['’]|que |qu['’])
  gloss: (la )?veille de noël=christmas eve; (le )?noël=christmas; (la saint-sylvestre|le réveillon)=new year's eve; (le )?(nouvel an|jour de l'an)=new year; pâques=easter; (milles?|miles?)=miles; kilomètres?=km; centimètres?=cm; mètres?=m; pieds?=feet; pouces?=inches; onces?=oz; grammes?=g; (kilos?|kilogrammes?)=kg; litres?=l; gallons?=gallons; degrés=degrees; heures?=hours; 1er=1
  say ask: De quoi dois-je vous faire souvenir, et quand ? Par exemple : « Rappelle-moi demain à 17h d'appeler Ada ».
  say set: Le rappel est noté : {task}, {moment}.
  say notice: Je suis le modèle hors ligne intégré : je suis des règles fixes et j'utilise des outils, mais je n'ai aucune connaissance du monde.
  say hello: Bonjour ! Que puis-je faire ?
  say welcome: De rien.
  say help: En français, je sais : retenir (« Souviens-toi que j'aime le thé ») et retrouver (« Que sais-tu sur le thé ? »), vous rappeler quelque chose (« Rappelle-moi demain à 9h d'appeler Ada »), donner l'heure et la date, calculer et convertir, écrire et lire des fichiers, tenir une liste de courses et résumer une page web. En anglais, je sais en faire plus (« help »).
  say limit: Je ne comprends pas cela en français : je ne connais que quelques phrases (dites « aide »). Pour le reste, ajoutez un modèle dans Settings → Model providers, avec une clé ou un Ollama local.
  say saved: C'est noté : {content}.
  say secret: C'est noté, mais sans le mot de passe : la mémoire ne garde aucun secret.
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
  say until: Encore {days} avant le {date}.
  say wrote: C'est enregistré dans {path}.
  say cancelled: Rappel supprimé : {name}.
  say empty: Il n'y a encore rien ici.
  say coin: Pile/Face
  say rates: Je ne connais pas les taux de change : ils varient, et je n'ai aucune source.
  say lacks: C'est impossible dans cette conversation : l'outil {tool} n'est pas disponible.
  say refused: Vous ne l'avez pas autorisé, je ne l'ai donc pas fait.
  say failed: Cela a échoué : {reason}
es: Spanish
  words: a resume resúmeme lee yo tú él ella nosotros mi mis tu tus y o es son soy eres el los las un una unos del que qué quién cuál cuándo dónde por cómo con para en sobre puedes puede hacer hoy mañana ayer también muy bien tiempo escribe cuéntame traduce explica poema está hace favor necesito quiero me gusta cuánto cuántos cuántas
  remind: (recu[eé]rda(me|nos)|av[ií]same|despiértame),? (?<rest>.+)|(pon(me)?|programa) (una? |el |la )?(?<name>alarma|despertador|temporizador) (?<rest>.+)|(?<rest>(cada|todos los|todas las) [^:]{3,60}: .+)
  greet: (hola|buenos días|buenas( (tardes|noches))?|(hola,? )?(qué tal|cómo estás|cómo está))( a todos| amigo)?
  thanks: (muchas )?gracias( por todo)?
  help: (¿?hablas (tú )?español|ayuda|ayúdame|qué (puedes|sabes) hacer|en qué (me )?puedes ayudar(me)?)
  time: (qué hora es|que hora es|dime la hora|la hora)( ahora)?( en (?<place>.+))?
  date: (qué (día|fecha) es( hoy)?|a qué (día )?estamos( hoy)?|cuál es la fecha( de hoy)?)
  tomorrow: (qué (día|fecha) (es|será)|a qué (día )?estamos) mañana
  jobs: ((qué|cuáles son mis) (recordatorios|alarmas)( (tengo|hay))?|(muéstrame |lista )?mis recordatorios)
  read: (lee|abre|muéstrame)( el (archivo|fichero))? FILE
  who: quién eres( tú)?|qué eres
  write: (escribe|guarda|anota|pon) (?<content>.+?) en( (el|un))?( nuevo)?( (archivo|fichero))? FILE|crea( (el|un))?( nuevo)? (archivo|fichero)( llamado)? FILE con( el (texto|contenido))? (?<content>.+)
  append: (añade|agrega) (?<content>.+?) (a|al|en)( (el))?( (archivo|fichero))? FILE
  read: qué (hay|dice|pone|contiene)( en)?( el (archivo|fichero))? FILE
  files: ((lista|muestra|muéstrame|enséñame)( todos)?( mis| los) (archivos|ficheros)|qué (archivos|ficheros) (tengo|hay)|cuáles son mis archivos)
  cancel: (borra|elimina|cancela|quita)( (el|la|mi))? (recordatorio|alarma)( (de la|de los|de las|del|de|para|sobre))? (?<name>.+)
  add: (añade|agrega|pon|apunta) (?<content>.+?) (a|en) (mi |la )?lista( de (la compra|compras|tareas|cosas por hacer))?
  list: (qué (hay|tengo) en|muestra|muéstrame|enséñame) (mi |la )?lista( de (la compra|compras|tareas))?
  coin: (lanza|tira|echa) (una |la )?moneda|cara o cruz
  dice: (tira|lanza) (un|el|los|dos) dados?
  recall: (?<query>cómo me llamo|cuál es mi nombre|quién soy)
  recall: (qué (sabes|recuerdas) (de|sobre|del)|te acuerdas (de|del)|recuerdas|qué te (dije|he dicho) (de|sobre)) (?<query>.+)
  recall: (?<query>((de|a|con|en|para) )?(qué|quién|dónde|cuándo|cuál|cómo) .*\b(mi|mis|yo|me)\b.*)
  name: (me llamo|mi nombre es|llámame) (?<name>\p{L}[\p{L} '-]*)
  remember: (por favor,? )?(recuerda|acuérdate de|no olvides|anota|apunta|guarda|memoriza)[,:]?\s+(que\s+)?(?<content>.+)
  remember: (?<content>((a mí )?me (gusta|gustan|encanta|encantan)|odio|vivo en|trabajo (en|como)|prefiero|hablo|soy (alérgic[oa]|vegetarian[oa]|vegan[oa])|mi [\p{L}-]+ (es|está|tiene|se llama|vive|trabaja)|mis [\p{L}-]+ son) .+)
  until: (cuántos días (faltan|quedan|hay) (para|hasta)( el| la)?|cuánto falta para( el| la)?|cuándo es( el| la)?) (?<date>.+)
  day: (qué (día|fecha)|a qué (día )?) ?(es|será|será el|cae|estaremos|fue) (?<date>.+)
  convert: (cuánt[oa]s (?<to>\p{L}+) (son|hay en|tiene[n]?|es) |cuánt[oa]s? (son|es) |convierte |pasa )?(?<from>(\d[\d.,]*|una?) ?\p{L}[\p{L} ]{0,30}?)( (a|en) (?<into>\p{L}[\p{L} ]{0,30}))?
  lead: ^(de |que )
  gloss: nochebuena=christmas eve; (la )?navidad=christmas; nochevieja=new year's eve; año nuevo=new year; (semana santa|pascua)=easter; millas?=miles; kilómetros?=km; centímetros?=cm; metros?=m; pies?=feet; pulgadas?=inches; libras?=pounds; onzas?=oz; gramos?=g; (kilos?|kilogramos?)=kg; litros?=l; (galones|galón)=gallons; grados?=degrees; horas?=hours; minutos?=minutes; de=
  say ask: ¿Qué debo recordarte, y cuándo? Por ejemplo: "Recuérdame mañana a las 17:00 llamar a Ada".
  say set: El recordatorio está puesto: {task}, {moment}.
  say notice: Soy el modelo sin conexión integrado: sigo reglas fijas y uso herramientas, pero no tengo conocimiento del mundo.
  say hello: ¡Hola! ¿Qué puedo hacer?
  say welcome: De nada.
  say help: En español puedo: recordar ("Recuerda que me gusta el té") y buscarlo ("¿Qué sabes sobre el té?"), avisarte ("Recuérdame mañana a las 9 llamar a Ada"), decir la hora y la fecha, calcular y convertir, escribir y leer archivos, llevar una lista de la compra y resumir páginas web. En inglés puedo hacer más ("help").
  say limit: Eso no lo entiendo en español: solo conozco unas pocas frases (di "ayuda"). Para lo demás, añade un modelo en Settings → Model providers, con una clave o un Ollama local.
  say saved: Anotado: {content}.
  say secret: Anotado, pero sin la contraseña: la memoria no guarda secretos.
  say met: Mucho gusto, {name}. Recordaré tu nombre.
  say found: Esto es lo que recuerdo:
  say nothing: No tengo nada guardado sobre eso.
  say time: Son las {time} del {date} ({zone}).
  say date: Hoy es {date} ({zone}).
  say tomorrow: Mañana es {date} ({zone}).
  say jobs: Tus recordatorios:
  say noJobs: No tienes recordatorios.
  say file: Esto dice {path}:
  say noPlace: No conozco la zona horaria de "{place}".
  say page: {title} dice, con sus propias frases:
  say until: {days} hasta el {date}.
  say wrote: Guardado en {path}.
  say cancelled: Recordatorio borrado: {name}.
  say empty: Aquí todavía no hay nada.
  say coin: Cara/Cruz
  say rates: No conozco los tipos de cambio: varían y no tengo ninguna fuente.
  say lacks: Eso no es posible en esta conversación: la herramienta {tool} no está disponible.
  say refused: No lo has aprobado, así que no lo he hecho.
  say failed: No ha funcionado: {reason}
it: Italian
  words: in a riassumi leggi io tu lui lei noi voi mio mia miei tuo e è sono sei il lo gli un una uno del della di che chi cosa quale quando dove perché come con per su puoi può fare oggi domani ieri anche molto bene tempo scrivi racconta traduci spiega poesia sta fa favore voglio mi piace cos'è dimmi quanto fa
  greet: (ciao|buongiorno|buonasera|salve|buon giorno|buona sera|(ciao,? )?(come stai|come va|tutto bene))( a tutti)?
  thanks: (grazie|molte grazie|grazie mille)( (mille|tante))?
  help: (parli italiano|aiuto|aiutami|(che )?cosa (puoi|sai) fare|come puoi aiutarmi)
  time: (che (ora è|ore sono)|dimmi l'ora|l'ora)( adesso| ora)?( (a|in) (?<place>.+))?
  date: (che giorno è( oggi)?|qual è la data( di oggi)?|che data è( oggi)?)
  tomorrow: che (giorno|data) (è|sarà) domani
  jobs: ((che|quali|quali sono i miei) (promemoria|sveglie)( (ho|ci sono))?|(mostrami |elenca )?i miei promemoria)
  read: (leggi|apri|mostrami)( il file)? FILE
  remind: (ricorda(mi|ci)|avvisami|svegliami),? (?<rest>.+)|(imposta|metti)(mi)? (una? |la |il )?(?<name>sveglia|timer) (?<rest>.+)|(?<rest>(ogni|tutti i|tutte le) [^:]{3,60}: .+)
  who: chi sei( tu)?|(che )?cosa sei
  write: (scrivi|salva|annota|metti) (?<content>.+?) (in|nel|su|sul)( (un))?( nuovo)?( file)? FILE|crea( (il|un))?( nuovo)? file( chiamato)? FILE con( il (testo|contenuto))? (?<content>.+)
  append: aggiungi (?<content>.+?) (a|al|in|nel)( file)? FILE
  read: (che )?cosa (c'è|dice|contiene)( (in|nel))?( file| il file)? FILE
  files: ((elenca|mostra|mostrami)( tutti)?( i miei| i) file|(quali|che) file (ho|ci sono))
  cancel: (cancella|elimina|annulla|rimuovi)( (il|la|mio|il mio))? (promemoria|sveglia)( (della|dello|dell'|del|di|per|su))? ?(?<name>.+)
  add: (aggiungi|metti|segna) (?<content>.+?) (a|alla|nella|sulla)( mia)? lista( (della spesa|delle cose da fare))?
  list: ((che )?cosa c'è (nella|sulla)|mostra(mi)? la)( mia)? lista( (della spesa|delle cose da fare))?
  coin: (lancia|tira) (una |la )?moneta|testa o croce
  dice: (lancia|tira) (un|il|i|due) dad[oi]
  until: ((tra )?quanti giorni (mancano|ci sono)?( fino)? ?(a|al|alla|all'|prima di)|quanto manca (a|al|alla)|quand'è|quando è) (?<date>.+)
  day: (che (giorno|data)|quale giorno) (è|sarà|sarà il|era|cade) (?<date>.+)
  convert: (quant[ie] (?<to>\p{L}+) (sono|ci sono in|fanno|è) |quant[oi] (sono|fa|fanno) |converti |trasforma )?(?<from>(\d[\d.,]*|una?) ?\p{L}[\p{L} ]{0,30}?)( in (?<into>\p{L}[\p{L} ]{0,30}))?
  lead: ^(di |che |d['’]|del(la|lo|l['’])? ?)
  recall: (?<query>come mi chiamo|qual è il mio nome|chi sono( io)?)
  recall: ((che )?cosa (sai|ricordi) (di|su|del|dei|della|sul|sulla)|ti ricordi (di|del|della)|ricordi) (?<query>.+)
  recall: (?<query>((di|a|con|in|per) )?(che|cosa|chi|dove|quando|quale|qual|come) .*\b(mio|mia|miei|mie|mi|io)\b.*)
  name: (mi chiamo|il mio nome è|chiamami) (?<name>\p{L}[\p{L} '-]*)
  remember: (per favore,? )?(ricorda(ti)?|non dimenticare|annota|memorizza|segna(ti)?|tieni a mente)[,:]?\s+(di\s+)?(che\s+)?(?<content>.+)
  remember: (?<content>(mi (piace|piacciono)|amo|odio|abito|vivo|lavoro|preferisco|parlo|sono (allergic[oa]|vegetarian[oa]|vegan[oa]|nat[oa])|((il|la|l')? ?mi[oa]) [\p{L}-]+ (è|ha|si chiama|vive|abita|lavora)) .+)
  gloss: dopodomani=the day after tomorrow; domani mattina=tomorrow morning; domani sera=tomorrow evening; domani=tomorrow; stasera=this evening; oggi=today; (ogni|tutti i|tutte le)=every; mezz'ora=30 minutes; un'ora=1 hour; (tra|fra)=in; (alle ore|alle|all'|ore)=at; mezzogiorno=noon; mezzanotte=midnight; (di mattina|del mattino|la mattina)=in the morning; (di sera|la sera)=in the evening; (di|del) pomeriggio=in the afternoon; minut[oi]=minutes; or[ae]=hours; giorn[oi]=days; settiman[ae]=weeks; mes[ei]=months; ann[oi]=years; (luned.|marted.|mercoled.|gioved.|venerd.|sabato|domenica) prossim[oa]=next $1; prossim[oa]=next; (la )?vigilia di natale=christmas eve; natale=christmas; san silvestro=new year's eve; capodanno=new year; pasqua=easter; migli[ao]=miles; chilometr[oi]=km; centimetr[oi]=cm; metr[oi]=m; piedi=feet; pollic[ei]=inches; libbr[ae]=pounds; onc(e|ia)=oz; gramm[oi]=g; (chil[oi]|chilogramm[oi])=kg; litr[oi]=l; gallon[ei]=gallons; gradi=degrees; (1°|primo)=1
  say notice: Sono il modello offline integrato: seguo regole fisse e uso strumenti, ma non ho conoscenza del mondo.
  say hello: Ciao! Che cosa posso fare?
  say welcome: Prego.
  say help: In italiano so: ricordare ("Ricorda che mi piace il tè") e ritrovare ("Cosa sai del tè?"), avvisarti ("Ricordami domani alle 9 di chiamare Ada"), dire l'ora e la data, calcolare e convertire, scrivere e leggere file, tenere una lista della spesa e riassumere pagine web. In inglese so fare di più ("help").
  say limit: Questo non lo capisco in italiano: conosco solo poche frasi (di' "aiuto"). Per il resto aggiungi un modello in Settings → Model providers, con una chiave o un Ollama locale.
  say saved: Annotato: {content}.
  say secret: Annotato, ma senza la password: la memoria non conserva segreti.
  say met: Piacere, {name}. Ricorderò il tuo nome.
  say found: Ecco che cosa ricordo:
  say nothing: Non ho niente in memoria su questo.
  say time: Sono le {time} di {date} ({zone}).
  say date: Oggi è {date} ({zone}).
  say tomorrow: Domani è {date} ({zone}).
  say jobs: I tuoi promemoria:
  say noJobs: Non hai promemoria.
  say file: Ecco {path}:
  say noPlace: Non conosco il fuso orario di "{place}".
  say page: {title} dice, con le sue parole:
  say ask: Che cosa devo ricordarti, e quando? Per esempio: "Ricordami domani alle 17 di chiamare Ada".
  say set: Promemoria impostato: {task}, {moment}.
  say until: Ancora {days} fino a {date}.
  say wrote: Salvato in {path}.
  say cancelled: Promemoria eliminato: {name}.
  say empty: Qui non c'è ancora niente.
  say coin: Testa/Croce
  say rates: Non conosco i tassi di cambio: variano e non ho una fonte.
  say lacks: In questa conversazione non è possibile: lo strumento {tool} non è disponibile.
  say refused: Non l'hai approvato, quindi non l'ho fatto.
  say failed: Non è riuscito: {reason}
pt: Portuguese
  words: a no resume resuma lê eu tu você ele ela nós meu minha meus teu seu e ou é são sou os as um uma do da dos que quem qual quando onde porquê como com para em no na sobre pode podes consegue fazer hoje amanhã ontem também muito bem tempo escreve conta traduz explica poema está faz favor quero gosto não me diga o quanto
  greet: ((olá|oi|bom dia|boa (tarde|noite)|e aí)(,? (a todos|pessoal|tudo bem))?|(tudo bem|como estás|como está|como vai)( contigo| você)?)
  thanks: (muito )?obrigad[oa]( por tudo)?
  help: ((você )?falas? português|ajuda|ajude-me|me ajude|ajuda-me|o que (você )?(pode|podes|sabe|sabes|consegue) fazer|como (você )?(pode|podes) (me )?ajudar)
  time: (que horas são|que hora é|diga as horas|as horas)( agora)?( (em|no|na) (?<place>.+))?
  date: (que dia é( hoje)?|qual é a data( de hoje)?|que data é( hoje)?)
  tomorrow: que (dia|data) (é|será) amanhã
  jobs: ((que|quais|quais são os meus) (lembretes|alarmes)( (eu )?(tenho|há))?|(mostra-me |mostre |lista )?(os )?meus lembretes)
  read: (lê|leia|abre|abra|mostra)( o (ficheiro|arquivo))? FILE
  remind: (lembra-me|lembre-me|me lembr[ae]|avisa-me|me avis[ae]|acorda-me),? (?<rest>.+)|(põe|define|coloca|coloque) (uma? |o )?(?<name>alarme|despertador|temporizador) (?<rest>.+)|(?<rest>(cada|tod[oa]s? [oa]s) [^:]{3,60}: .+)
  who: (quem|o que) (és|é)( (tu|você))?
  write: (escreve|escreva|guarda|guarde|salva|salve|anota) (?<content>.+?) (em|no)( (um))?( novo)?( (ficheiro|arquivo))? FILE|(cria|crie)( (o|um))?( novo)? (ficheiro|arquivo)( chamado)? FILE com( o (texto|conteúdo))? (?<content>.+)
  append: (acrescenta|acrescente|adiciona|adicione|junta) (?<content>.+?) (a|ao|em|no)( (ficheiro|arquivo))? FILE
  read: o que (há|está|diz|tem|contém)( (em|no))?( (o )?(ficheiro|arquivo))? FILE
  files: ((lista|liste|mostra|mostre|mostra-me)( todos)?( os)?( meus)? (ficheiros|arquivos)|(que|quais) (ficheiros|arquivos) (tenho|há|existem))
  cancel: (apaga|apague|cancela|cancele|elimina|remove|remova)( (o|a|o meu))? (lembrete|alarme)( (da|das|do|dos|de|para|sobre))? (?<name>.+)
  add: (acrescenta|adiciona|adicione|põe|coloca|coloque) (?<content>.+?) (à|na)( minha)? lista( (de|das) (compras|tarefas))?
  list: (o que (há|está|tem|tenho) na|mostra(-me)? a|mostre a)( minha)? lista( (de|das) (compras|tarefas))?
  coin: (lança|atira|joga|jogue) (uma |a )?moeda|cara ou coroa
  dice: (lança|joga|jogue|rola) (um|o|os|dois) dados?
  until: (quantos dias (faltam|há|restam)( para| até)( o| a| ao)?|quanto tempo falta para( o| a)?|quando é( o| a)?) (?<date>.+)
  day: (que (dia|data)|qual dia) (é|será|foi|cai|vai ser) (?<date>.+)
  convert: (quant[oa]s (?<to>\p{L}+) (são|há em|tem|têm|é) |quanto (são|é) |converte |converta )?(?<from>(\d[\d.,]*|uma?) ?\p{L}[\p{L} ]{0,30}?)( (em|para) (?<into>\p{L}[\p{L} ]{0,30}))?
  lead: ^(de |que |para )
  recall: (?<query>como (é que )?(eu )?me chamo|qual é o meu nome|quem sou eu)
  recall: (o que (é que )?(você )?(sabe|sabes|lembra|lembras) (de|sobre|do|da)|(você )?(se )?lembra(s-te)? (de|do|da)) (?<query>.+)
  recall: (?<query>((de|a|com|em|para) )?(o que|que|quem|onde|quando|qual|como) .*\b(meu|minha|meus|minhas|eu)\b.*)
  name: ((eu )?me chamo|chamo-me|o meu nome é|meu nome é) (?<name>\p{L}[\p{L} '-]*)
  remember: (por favor,? )?(lembra-te|lembre-se|lembre|lembra|não (se )?esque[çc]as?|anota|anote|guarda|guarde|memoriza|memorize)[,:]?\s+(de\s+)?(que\s+)?(?<content>.+)
  remember: (?<content>(eu )?(gosto|adoro|odeio|moro|vivo|trabalho|prefiro|falo|sou (alérgic[oa]|vegetarian[oa]|vegan[oa])) .+|(o meu|a minha|meu|minha) [\p{L}-]+ (é|está|tem|chama-se|se chama|vive|mora|trabalha) .+)
  gloss: n[ao](?= (segunda|terça|quarta|quinta|sexta|sábado|domingo))=on; depois de amanhã=the day after tomorrow; amanhã de manhã=tomorrow morning; amanhã à noite=tomorrow evening; amanhã=tomorrow; hoje à noite=this evening; hoje=today; (todos os|todas as|tod[oa]|cada)=every; meia hora=30 minutes; uma hora=1 hour; (daqui a|dentro de|em(?= \d))=in; (às|à)(?= \d)=at; ao meio-dia|meio-dia=noon; à meia-noite|meia-noite=midnight; da manhã=in the morning; da tarde=in the afternoon; da noite=in the evening; minutos?=minutes; horas?=hours; dias?=days; semanas?=weeks; (mês|meses)=months; anos?=years; próxim[oa]=next; véspera de natal=christmas eve; natal=christmas; véspera de ano novo=new year's eve; ano novo=new year; páscoa=easter; milhas?=miles; (quil[óô]metros?|km)=km; centímetros?=cm; metros?=m; pés?=feet; polegadas?=inches; libras?=pounds; onças?=oz; gramas?=g; (quilos?|quilogramas?)=kg; litros?=l; (galões|galão)=gallons; graus?=degrees; de=
  say notice: Sou o modelo offline integrado: sigo regras fixas e uso ferramentas, mas não tenho conhecimento do mundo.
  say hello: Olá! O que posso fazer?
  say welcome: De nada.
  say help: Em português consigo: guardar na memória ("Lembra-te que gosto de chá") e procurar nela ("O que sabes sobre chá?"), avisar-te ("Lembra-me amanhã às 9 de ligar à Ada"), dizer as horas e a data, calcular e converter, escrever e ler ficheiros, manter uma lista de compras e resumir páginas web. Em inglês consigo mais ("help").
  say limit: Isso não entendo em português: só conheço poucas frases (diz "ajuda"). Para o resto, adiciona um modelo em Settings → Model providers, com uma chave ou um Ollama local.
  say saved: Anotado: {content}.
  say secret: Anotado, mas sem a palavra-passe: a memória não guarda segredos.
  say met: Prazer, {name}. Vou lembrar-me do teu nome.
  say found: Isto é o que guardei:
  say nothing: Não tenho nada guardado sobre isso.
  say time: São {time} de {date} ({zone}).
  say date: Hoje é {date} ({zone}).
  say tomorrow: Amanhã é {date} ({zone}).
  say jobs: Os teus lembretes:
  say noJobs: Não tens lembretes.
  say file: Isto está em {path}:
  say noPlace: Não conheço o fuso horário de "{place}".
  say page: {title} diz, nas suas próprias frases:
  say ask: O que devo lembrar, e quando? Por exemplo: "Lembra-me amanhã às 17h de ligar à Ada".
  say set: O lembrete está marcado: {task}, {moment}.
  say until: Ainda {days} até {date}.
  say wrote: Guardado em {path}.
  say cancelled: Lembrete apagado: {name}.
  say empty: Aqui ainda não há nada.
  say coin: Cara/Coroa
  say rates: Não conheço as taxas de câmbio: variam e não tenho nenhuma fonte.
  say lacks: Nesta conversa não é possível: a ferramenta {tool} não está disponível.
  say refused: Não foi aprovado, por isso não o fiz.
  say failed: Não funcionou: {reason}
nl: Dutch
  words: in is vat samen lees ik jij je wij jullie mij mijn jouw en of niet zijn ben bent het een deze die dat wie waar wanneer waarom hoe welke met voor op over van naar kun kunt kan heb hebt vandaag morgen gisteren ook nog al zeer weer uur schrijf toon vertaal vertel gedicht alsjeblieft graag maak geef wat hoeveel herinner
  greet: (hallo daar|hoi|(hallo,? |hoi,? )?hoe gaat het( met je)?|goedemorgen|goedemiddag|goedenavond|goedendag|dag)( allemaal)?
  thanks: (dank je( wel)?|dankjewel|bedankt|dank u( wel)?)
  help: ((spreek|praat) je nederlands|wat (kun|kan) je( (allemaal|doen|voor me doen))*|help me even|hoe (kun|kan) je (me )?helpen)
  time: (hoe laat is het|wat is de tijd|de tijd)( nu)?( in (?<place>.+))?
  date: (welke (dag|datum) is het( vandaag)?|wat is de datum( vandaag)?|de hoeveelste is het( vandaag)?)
  tomorrow: (welke (dag|datum)|wat voor dag) is het morgen
  jobs: (welke (herinneringen|wekkers) (heb ik|zijn er)|(toon )?mijn herinneringen)
  read: (lees|toon)( het bestand)? FILE
  remind: (herinner me|help me herinneren|wek me),?( er)? ?(?<rest>.+)|(zet|stel) (een |de )?(?<name>wekker|timer) (?<rest>.+)|(?<rest>(elke|iedere|elk) [^:]{3,60}: .+)
  who: (wie|wat) ben (je|jij)
  write: (schrijf|bewaar|zet|noteer) (?<content>.+?) (in|naar)( (een|het))?( nieuw)?( bestand)? FILE|maak( (een|het))?( nieuw)? bestand( genaamd)? FILE( aan)? met( de)?( (tekst|inhoud))? (?<content>.+)
  append: voeg (?<content>.+?) (toe )?aan( het bestand)? FILE( toe)?
  read: wat (staat|zit)( er)? in( het bestand)? FILE
  files: ((toon|laat|lijst)( al)?( mijn| de) bestanden( zien)?|welke bestanden (heb ik|zijn er))
  cancel: (verwijder|annuleer|wis|schrap)( (de|mijn))? (herinnering|wekker)( (aan|voor|om|over))?( (de|het))? (?<name>.+)
  add: (voeg|zet|schrijf) (?<content>.+?) (toe )?(aan|op) (mijn |de |het )?(boodschappenlijst(je)?|takenlijst|to-?do-?lijst|lijst(je)?)( toe)?
  list: (wat staat( er)? op|toon|laat) (mijn |de |het )?(boodschappenlijst(je)?|takenlijst|to-?do-?lijst|lijst(je)?)( zien)?
  coin: (gooi|werp)( (een|de))? (munt|muntje)( op)?|kop of munt
  dice: (gooi|werp|rol)( (een|de|met een|twee))? (dobbelste(en|nen))
  until: (hoeveel (dagen|nachtjes slapen|nachtjes)( is het| zijn het)?( nog)? (tot|voor)|hoe lang( is het| duurt het)?( nog)? tot|wanneer is( het)?) (?<date>.+)
  day: (welke (dag|datum)|wat voor dag) (is|was|wordt|valt)( het)? (?<date>.+)
  convert: (hoeveel (?<to>\p{L}+) (is|zijn|zitten er in|gaan er in|zit er in) |hoeveel (is|zijn) |reken |zet )?(?<from>(\d[\d.,]*|een) ?\p{L}[\p{L} ]{0,30}?)( (in|naar) (?<into>\p{L}[\p{L} ]{0,30}?)( om)?)?
  lead: ^((er )?aan( (de|het))? |om |dat |te )
  recall: (?<query>hoe heet ik|wat is mijn naam|wie ben ik)
  recall: (wat weet je (nog )?(over|van)|herinner je je|weet je nog( van)?|wat heb ik je verteld over) (?<query>.+)
  recall: (?<query>(wat|wie|waar|wanneer|welke|hoe) .*\b(mijn|ik|mij)\b.*)
  name: (ik heet|mijn naam is|noem me) (?<name>\p{L}[\p{L} '-]*)
  remember: (onthoud|vergeet niet|noteer|bewaar|denk eraan)[,:]?\s+(alsjeblieft\s+)?(dat\s+)?(?<content>.+)
  remember: (?<content>(ik (hou van|houd van|haat|woon|werk|drink|eet|spreek|vind|ben (allergisch|vegetariër|veganist|geboren|getrouwd))|mijn [\p{L}-]+ (is|zijn|heet|heten|heeft|woont|werkt)) .+)
  gloss: volgende week(?= \p{L}{2,9}dag)=next; op(?= \p{L}{2,9}dag)=on; overmorgen=the day after tomorrow; morgenochtend=tomorrow morning; morgenmiddag=tomorrow afternoon; morgenavond=tomorrow evening; morgen=tomorrow; vandaag=today; vanavond=this evening; (elke|iedere|elk|ieder)=every; een half uur=30 minutes; een uur=1 hour; over (\d+) uur=in $1 hours; over=in; om (\d+)[:.](\d+) uur=at $1:$2; (om )?(\d+) uur=at $2:00; om=at; middernacht=midnight; 's ochtends=in the morning; 's middags=in the afternoon; 's avonds=in the evening; (minuut|minuten)=minutes; uren=hours; (dag|dagen)=days; (week|weken)=weeks; (maand|maanden)=months; (jaar|jaren)=years; volgende=next; kerstavond=christmas eve; (kerst|kerstmis)=christmas; (oud en nieuw|oudejaarsavond)=new year's eve; nieuwjaar=new year; pasen=easter; (mijl|mijlen)=miles; kilometers?=km; centimeters?=cm; meters?=m; voet=feet; (ons|ounce)=oz; gram=g; (kilo|kilogram)=kg; liters?=l; gallons?=gallons; graden=degrees
  say notice: Ik ben het ingebouwde offline model: ik volg vaste regels en gebruik hulpmiddelen, maar heb geen kennis van de wereld.
  say hello: Hallo! Wat kan ik doen?
  say welcome: Graag gedaan.
  say help: In het Nederlands kan ik: iets onthouden ("Onthoud dat ik van thee hou") en terugvinden ("Wat weet je over thee?"), je herinneren ("Herinner me morgen om 9 uur aan de tandarts"), de tijd en de datum zeggen, rekenen en omrekenen, bestanden schrijven en lezen, een boodschappenlijst bijhouden en webpagina's samenvatten. In het Engels kan ik meer ("help").
  say limit: Dat begrijp ik niet in het Nederlands: ik ken maar een paar zinnen (zeg "wat kun je"). Voeg voor de rest een model toe onder Settings → Model providers, met een sleutel of een lokale Ollama.
  say saved: Onthouden: {content}.
  say secret: Onthouden, maar zonder het wachtwoord: geheimen bewaar ik niet.
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
  say ask: Waar moet ik je aan herinneren, en wanneer? Bijvoorbeeld: "Herinner me morgen om 17 uur aan de post".
  say set: De herinnering staat: {task}, {moment}.
  say until: Nog {days} tot {date}.
  say wrote: Opgeslagen in {path}.
  say cancelled: Verwijderd: {name}.
  say empty: Hier staat nog niets.
  say coin: Kop/Munt
  say rates: Wisselkoersen ken ik niet: ze veranderen en ik heb er geen bron voor.
  say lacks: Dat kan niet in dit gesprek: het hulpmiddel {tool} is niet beschikbaar.
  say refused: Je hebt het niet goedgekeurd, dus heb ik het niet gedaan.
  say failed: Dat is mislukt: {reason}
ja: Japanese
  greet: (こんにちは|こんばんは|おはよう(ございます)?|やあ|もしもし|はじめまして|お?元気(ですか)?)
  thanks: (どうも)?ありがとう(ございます|ございました)?
  help: .*(日本語(が|を|は)?(話せ|話しま|わかり|分かり|できま)|ヘルプ|助けて|手伝って|何ができ(ますか|るの|る)|なにができ).*
  time: ((?<place>.+?)(では|は|の時間は|で))?(今|いま)?、?(何時|なんじ)(ですか|なの|だ)?
  date: .*(今日|きょう)は?(何日|何曜日|なんにち).*
  tomorrow: .*(明日|あした)は?(何日|何曜日|なんにち).*
  jobs: .*(リマインダー|予定)(は|を|の)?(何|なに|一覧|教えて|見せて|ありますか).*
  read: FILEを?(読んで|見せて|開いて).*
  remind: (?<rest>.+?に?)(?<name>アラーム|タイマー)を?(セット|かけ|設定)(して|て)?(ください)?|(?<rest>.+?)を?(よう(に)?)?(リマインド|思い出させ|知らせ|通知|起こ)(して|て)?(ください|ね)?
  who: (あなた|君|きみ)は?(誰|だれ|何者)(ですか|なの)?|自己紹介.*
  write: (?<content>.+?)(と|を)FILE(に|へ)(書いて|保存して|書き込んで|入れて)(ください)?|FILE(に|へ)(?<content>.+?)(と|を)(書いて|保存して|書き込んで)(ください)?
  append: FILE(に|へ)(?<content>.+?)(と|を)(追加して|追記して|足して)(ください)?
  read: FILE(には|に|の中に|の中身)?(は)?(何|なに)(が(書いて)?(あります|ある)(か)?)?(ですか)?
  files: (私の)?ファイル(の)?(一覧)?(は|を|が)?(見せて|表示して|教えて|リスト.*|何があ.*)(ください)?
  cancel: (?<name>.+?)の(リマインダー|アラーム|予定)を(削除|キャンセル|消|取り消)(して|しして)?(ください)?
  add: ((買い物|やること|ToDo)?リストに)?(?<content>.+?)を((買い物|やること|ToDo)?リストに)?(追加|入れ|足)(して|て)?(ください)?
  list: (買い物|やること|ToDo)?リスト(には|に|を|は)?(何|なに|見せて|表示).*
  coin: コイン(を)?(投げ|トス).*|コイントス.*
  dice: (サイコロ|さいころ|ダイス)(を)?.*(振|ふ|投げ).*
  until: (?<date>.+?)まで(あと|は)?(何日|なんにち)(ですか|ある|あります(か)?)?|あと(何日|なんにち)で(?<later>.+?)(ですか)?
  day: (?<date>.{0,30}\d.{0,20}?)(は|って)(何日|何曜日|何月何日)(ですか)?
  convert: (?<from>\d[\d.,]* ?\p{L}+?)(は|って|を)(何)?(?<to>\p{L}+?)(ですか|に(変換|換算)?(して)?(ください)?|になりますか)?
  recall: (?<query>\D+?)(は|って)(いつ|どこ|誰|だれ|何|なに|どれ|いくつ|どんな)(色|人)?(ですか|だっけ|なの|でしたか)?
  lead: ^[、に]
  recall: .*(?<query>(私|僕|わたし|俺)の.+?)(は(何|なに|いつ|どこ|誰|だれ|どれ|いくつ|どんな)|を覚えて(い|る)|って(何|なに|誰|どこ|いつ)).*
  recall: (?<query>(私|僕|わたし|俺)の.+?)は
  recall: (?<query>.+?)(について|のこと)?(何を|を)?(覚えて(いますか|いる|る|ますか)|知って(いますか|いる|る|ますか))
  name: (私|僕|わたし|俺)(の名前)?は(?<name>[\p{L}]{1,20}?)(です|といいます|と申します)
  remember: (?<content>.+?)(だ?と|を)?、?(覚えて(おいて|ください|ね)?|記憶して|メモして|忘れないで)(おいて)?(ください|ね)?
  remember: (?<content>(私|僕|わたし|俺)は.+(好き|嫌い|住んで|働いて).*|(私|僕|わたし|俺)の.+は.+(?<![何誰])(です|だ))
  gloss: (明後日|あさって)=the day after tomorrow ; (明日|あした)の?=tomorrow ; (今日|きょう)の?=today ; 毎日の?=every day ; 毎朝の?=every morning ; 毎晩の?=every evening ; 毎週の?=every ; 来週の?=next ; (\d+)分後=in $1 minutes ; (\d+)時間後=in $1 hours ; (\d+)日後=in $1 days ; (\d+)週間後=in $1 weeks ; (\d+)[かヶカ]月後=in $1 months ; 午後の?(\d+)時半=at $1:30 pm ; 午後の?(\d+)時=at $1:00 pm ; (午前|朝)の?(\d+)時=at $2:00 am ; (\d+)時半=at $1:30 ; (\d+)時(\d+)分=at $1:$2 ; (\d+)時=at $1:00 ; (\d+)日= $1 ; クリスマスイブ=christmas eve; クリスマス=christmas; 大晦日=new year's eve; (元日|元旦|お正月|正月)=new year; (イースター|復活祭)=easter; マイル=miles; (キロメートル|キロ)=km; センチ(メートル)?=cm; メートル=m; フィート=feet; インチ=inches; ポンド=pounds; オンス=oz; キログラム=kg; グラム=g; リットル=l; ガロン=gallons; (摂氏|℃)=celsius; 華氏=fahrenheit; 分=minutes; 時間=hours; [にのは]=
  say notice: 私は内蔵のオフラインモデルです。決まった規則で道具を使いますが、世の中の知識はありません。
  say hello: こんにちは。何をしましょうか。
  say welcome: どういたしまして。
  say help: 日本語でできること：覚える（「お茶が好きなことを覚えて」）、思い出す（「お茶について何を覚えていますか」）、リマインダー（「明日の9時に電話するようリマインドして」）、時刻と日付、計算と単位の換算、ファイルの読み書き、買い物リスト、ウェブページの要約。英語ではもっとできます（"help"）。
  say limit: 日本語では少しの言い回ししか分かりません（「ヘルプ」と言ってください）。ほかのことは Settings → Model providers でモデルを追加してください（キー、またはローカルの Ollama）。
  say saved: 覚えました：{content}
  say secret: パスワードを除いて覚えました。秘密の情報は保存しません。
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
  say ask: 何をいつお知らせしましょうか。例：「明日の17時にアダに電話するようリマインドして」。
  say set: リマインダーを設定しました：{task}（{moment}）。
  say until: {date}まであと{days}です。
  say wrote: {path} に保存しました。
  say cancelled: リマインダーを削除しました：{name}
  say empty: まだ何もありません。
  say coin: 表/裏
  say rates: 為替レートは分かりません。変動するうえ、情報源がありません。
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
  read: (请)?(读取|读|打开|显示|查看)(一下)?(文件)?FILE
  remind: (?<rest>.*(提醒我|叫醒我|叫我起床).*)|(设|定|设置)(一个|个)?(?<rest>.+?)的?(?<name>闹钟)
  who: 你(是谁|叫什么(名字)?|是什么)
  write: (把)?(?<content>.+?)(写入|写到|写进|保存到|存到)(文件)?FILE(里|中)?|(创建|新建)(一个)?(文件)?FILE[，,]?(内容(是|为)?|写上)[：:]?(?<content>.+)
  append: (把)?(?<content>.+?)(追加到|添加到|加到)(文件)?FILE(里|中)?
  read: (文件)?FILE(里|中|里面)?(有|写了|是)?(什么|些什么)(内容)?
  files: (列出|显示|查看)(我的|所有)*文件|我有(哪些|什么)文件
  cancel: (取消|删除|删掉)(?<name>.+?)的?(提醒|闹钟)
  add: (把)?(?<content>.+?)(加到|添加到|加入|放进)(我的)?(购物|待办)?(清单|列表)(里|中)?
  list: (我的)?(购物|待办)?(清单|列表)(上|里|中)?有(什么|哪些).*|(显示|查看)(我的)?(购物|待办)?(清单|列表)
  coin: (抛|掷|扔)(一个|一枚|个)?硬币
  dice: (掷|扔|摇|投)(一个|一颗|个|一次)?(骰子|色子)
  until: (离|距离|距|到)(?<date>.+?)(还)?(有|剩)(多少|几)天|(?<later>.+?)还有(多少|几)天
  day: (?<date>.{0,30}\d.{0,20}?)(是|会是)?(几号|星期几|几月几号|周几|哪天|哪一天)
  convert: (把)?(?<from>\d[\d.,]* ?\p{L}+?)(是|等于|换算成|转换成|换成|合)(多少|几)?(?<to>\p{L}+)
  recall: (?<query>\D+?)(是|在|叫|有)(什么时候|什么(名字|颜色)?|哪天|哪一天|哪里|哪儿|谁)
  lead: ^[请，,]{0,2}(提醒我|叫醒我|叫我起床)要?
  recall: (?<query>我(叫什么(名字)?|的名字是什么|是谁))
  recall: (你)?(还)?(记得|知道)(关于)?(?<query>.+?)(的什么|什么|吗|的事)?
  recall: 关于(?<query>.+?)你(记得|知道)(什么|些什么)?
  recall: (?<query>我.*(什么|哪里|哪儿|谁|几岁).*)
  name: (我叫|我的名字(是|叫))(?<name>[\p{L}·]{1,20})
  remember: (请)?(帮我)?(你要)?(记住|记下|记一下|别忘了|不要忘记|保存)[，,：:]?\s*(?<content>.+)
  remember: (?<content>我.+?)[，,、 ]{1,2}(请|帮我){0,2}(记住|记下|别忘了)(这个|它|一下)?
  remember: (?<content>我(喜欢|不喜欢|爱|讨厌|住在|在.+工作|对.+过敏).*|我的?.{1,12}(是|叫|住在)[^什谁哪几多].*)
  gloss: 后天=the day after tomorrow ; 明天(早上|上午)?=tomorrow ; (明晚)=tomorrow evening ; 今晚=this evening ; 今天=today ; 每天=every day ; (周|礼拜|星期)(?=[一二三四五六日天])=星期; 每个?(?=星期)=every ; 下个?(?=星期)=next ; 星期天=sunday ; (\d+)分钟后=in $1 minutes ; (\d+)个?小时后=in $1 hours ; (\d+)天(之?后|以后)=in $1 days ; (\d+)(周|个星期)后=in $1 weeks ; (\d+)个月后=in $1 months ; (下午|晚上)(\d+)点半=at $2:30 pm ; (下午|晚上)(\d+)点钟?=at $2:00 pm ; (早上|上午)(\d+)点半=at $2:30 am ; (早上|上午)(\d+)点钟?=at $2:00 am ; (\d+)点半=at $1:30 ; (\d+)点(\d+)分?=at $1:$2 ; (\d+)点钟?=at $1:00 ; (\d+)[日号]= $1 ; 平安夜=christmas eve; 圣诞节?=christmas; (元旦|新年)=new year; 复活节=easter; 英里=miles; 公里=km; 厘米=cm; 英尺=feet; 英寸=inches; 米=m; 磅=pounds; 盎司=oz; (公斤|千克)=kg; 克=g; 升=l; 加仑=gallons; 摄氏度?=celsius; 华氏度?=fahrenheit; 分钟=minutes; 小时=hours
  say notice: 我是内置的离线模型：我按固定规则使用工具，没有关于世界的知识。
  say hello: 你好！需要我做什么？
  say welcome: 不客气。
  say help: 我用中文可以：记住（“记住我喜欢茶”）、回忆（“你记得关于茶的什么？”）、提醒（“明天上午9点提醒我打电话”）、报时和日期、计算和单位换算、读写文件、记购物清单、摘要网页。用英文可以做更多（"help"）。
  say limit: 这句中文我不懂：我只认识很少的说法（请说“帮助”）。其他事情请在 Settings → Model providers 添加模型（密钥，或本地 Ollama）。
  say saved: 记住了：{content}
  say secret: 记住了，但没有保存其中的密码：记忆不保存机密信息。
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
  say ask: 要我提醒你什么，什么时候？例如：“明天下午5点提醒我给艾达打电话”。
  say set: 提醒已设置：{task}（{moment}）。
  say until: 离{date}还有{days}。
  say wrote: 已保存到 {path}。
  say cancelled: 已删除提醒：{name}
  say empty: 这里还没有内容。
  say coin: 正面/反面
  say rates: 我不知道汇率：汇率会变，而我没有数据来源。
  say lacks: 这个对话里没有工具 {tool}，所以做不到。
  say refused: 你没有批准，所以我没有做。
  say failed: 失败了：{reason}
`

const FILE = String.raw`(?<path>[\p{L}\d_./-]{1,100}\.\p{Script=Latin}{1,8})`

export const LANGUAGES: readonly Language[] = table
  .split(/\n(?=\w)/)
  .slice(1)
  .map(languageOf)

function languageOf(text: string): Language {
  const [[code, name] = ['', ''], ...lines] = text
    .trim()
    .split('\n')
    .map((line) => split(line.trim()))
  const language: Language = { code, name, words: new Set(), forms: [], lead: /^/, gloss: '', say: {} }
  for (const [key, value] of lines)
    if (key === 'words') language.words = new Set(value.split(' '))
    else if (key === 'lead') language.lead = new RegExp(value, 'iu')
    else if (key === 'gloss') language.gloss = value
    else if (key.startsWith('say ')) language.say[key.slice(4)] = value
    // One line: what follows a word that was found always matches, so nothing is tried twice.
    else
      language.forms.push({ act: key as Act, form: form(`(?=.*$)(${value.replaceAll('FILE', FILE)})`, 'iu') })
  return language
}

function split(line: string): [key: string, value: string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon), line.slice(colon + 2)]
}
