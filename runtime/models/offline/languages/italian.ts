import type { Language } from './language.ts'

export const italian: Language = {
  code: 'it',
  name: 'Italian',
  words:
    "riassumi leggi io tu lui lei noi voi mio mia miei tuo e è sono sei il lo gli un una uno del della di che chi cosa quale quando dove perché come con per su puoi può fare oggi domani ieri anche molto bene tempo scrivi racconta traduci spiega poesia sta fa favore voglio mi piace cos'è dimmi",
  phrases: [
    ['greet', /^(?:ciao|buongiorno|buonasera|salve|buon giorno|buona sera)(?: a tutti)?$/iu],
    ['thanks', /^(?:grazie|molte grazie|grazie mille)(?: (?:mille|tante))?$/iu],
    ['help', /^(?:parli italiano|aiuto|aiutami|(?:che )?cosa (?:puoi|sai) fare|come puoi aiutarmi)$/iu],
    ['time', /^(?:che (?:ora è|ore sono)|dimmi l'ora|l'ora)(?: adesso| ora)?(?: (?:a|in) (?<place>.+))?$/iu],
    ['date', /^(?:che giorno è(?: oggi)?|qual è la data(?: di oggi)?|che data è(?: oggi)?)$/iu],
    ['recall', /^(?<query>come mi chiamo|qual è il mio nome|chi sono(?: io)?)$/iu],
    [
      'recall',
      /^(?:(?:che )?cosa (?:sai|ricordi) (?:di|su|del|dei|della|sul|sulla)|ti ricordi (?:di|del|della)|ricordi) (?<query>.+)$/iu,
    ],
    [
      'recall',
      /^(?<query>(?:che|cosa|chi|dove|quando|quale|qual|come) .*\b(?:mio|mia|miei|mie|mi|io)\b.*)$/iu,
    ],
    [
      'remember',
      /^(?:per favore,? )?(?:ricorda(?:ti)?|non dimenticare|annota|memorizza|segna(?:ti)?|tieni a mente)[,:]?\s+(?:di\s+)?(?:che\s+)?(?<content>.+)$/iu,
    ],
    ['name', /^(?:mi chiamo|il mio nome è|chiamami) (?<name>\p{L}[\p{L} '-]*)$/iu],
    [
      'remember',
      /^(?<content>(?:mi (?:piace|piacciono)|amo|odio|abito|vivo|lavoro|preferisco|parlo|(?:il|la) mi[oa] \p{L}+ è) .+)$/iu,
    ],
  ],
  say: {
    notice:
      'Sono il modello offline integrato: seguo regole fisse e uso strumenti, ma non ho conoscenza del mondo.',
    hello: 'Ciao! Che cosa posso fare?',
    welcome: 'Prego.',
    help: 'In italiano so: ricordare ("Ricorda che mi piace il tè"), cercare nella memoria ("Cosa sai del tè?"), dire l\'ora, calcolare e riassumere pagine web. In inglese so fare di più ("help").',
    limit:
      'Questo non lo capisco in italiano: conosco solo poche frasi (di\' "aiuto"). Per il resto aggiungi un modello in Settings → Providers, con una chiave o un Ollama locale.',
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
