import type { Language } from './language.ts'

export const german: Language = {
  code: 'de',
  name: 'German',
  words:
    'fasse zusammen lies was rechne ich du wir ihr mich mir dich dir und oder nicht ist sind bin bist das der den dem ein eine einen mein meine meinen dein wie wer wo wann warum welche bitte mit für auf über von zu zum zur kannst könntest kann hast habe gibt heute morgen gestern auch noch schon sehr wetter uhr schreibe zeige übersetze erzähle erkläre gedicht',
  phrases: [
    ['remind', /^(?:erinnere?|wecke?) mich(?: bitte)?,? (?<rest>.+)$/iu],
    [
      'greet',
      /^(?:hallo|hallöchen|guten (?:tag|morgen|abend)|moin(?: moin)?|servus|grüß (?:gott|dich)|hi du)(?: zusammen)?$/iu,
    ],
    ['thanks', /^(?:danke(?:schön)?|vielen dank|dank dir)(?: (?:sehr|schön|dir))?$/iu],
    [
      'help',
      /^(?:sprichst du deutsch|verstehst du deutsch|hilfe|hilf mir|was kannst du(?: (?:alles|tun|machen|für mich tun))*|wie kannst du (?:mir )?helfen)$/iu,
    ],
    [
      'time',
      /^(?:wie spät ist es|wie viel uhr ist es|wieviel uhr (?:ist es|haben wir)|wie viel uhr haben wir|uhrzeit)(?: (?:jetzt|gerade))?(?: (?:in|auf) (?<place>.+))?$/iu,
    ],
    [
      'date',
      /^(?:welcher tag ist heute|welches datum (?:ist heute|haben wir(?: heute)?)|den wievielten haben wir(?: heute)?|was ist heute für ein tag)$/iu,
    ],
    ['recall', /^(?<query>wie (?:heiße|heisse) ich|wie ist mein name|wer bin ich)$/iu],
    [
      'recall',
      /^(?:was weißt du (?:noch )?(?:über|von)|erinnerst du dich (?:noch )?an|woran erinnerst du dich (?:bei|zu)|was (?:habe ich dir|hab ich dir) (?:über|von|zu)) (?<query>.+?)(?: (?:gesagt|erzählt))?$/iu,
    ],
    ['recall', /^(?<query>(?:was|wer|wo|wann|welche[rsn]?|wie) .*\b(?:mein\p{L}*|ich|mir)(?![\p{L}]).*)$/iu],
    [
      'remember',
      /^(?:bitte )?(?:merke? dir|erinnere dich(?: daran)?|vergiss nicht|notiere?(?: dir)?|speichere?|denk daran)(?: bitte)?[,:]?\s+(?:dass\s+)?(?<content>.+)$/iu,
    ],
    ['name', /^(?:ich (?:heiße|heisse)|mein name ist|nenn(?:e)? mich) (?<name>\p{L}[\p{L} '-]*)$/iu],
    [
      'remember',
      /^(?<content>(?:ich (?:mag|liebe|hasse|wohne|lebe|arbeite|bevorzuge|trinke|esse|spreche)|mein[e]? \p{L}+ (?:ist|sind|hat|heißt)) .+)$/iu,
    ],
  ],
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
