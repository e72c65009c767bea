/**
 * Phrases in English, German, French and Spanish, replaced in this order; each cell is a regular expression
 * for whole words, in a row with `each:` one for each word. A phrase comes before the words that it contains.
 */
const phrases = String.raw`
this evening           # heute abend                      # -                        # -
the day after tomorrow # übermorgen                       # après-demain             # pasado mañana
tomorrow morning       # morgen früh                      # demain matin             # mañana por la mañana
tomorrow afternoon     # morgen nachmittag                # demain après-midi        # mañana por la tarde
tomorrow evening       # morgen abend                     # demain soir              # mañana por la noche
every morning          # jeden morgen                     # (tous les|chaque) matins? # cada mañana|todas las mañanas
every evening          # jeden abend                      # (tous les|chaque) soirs? # cada noche|todas las noches
in the morning         # am (morgen|vormittag)|(morgen|vormittag)s|früh # (du|le) matin # (de|por) la mañana
in the afternoon       # am nachmittag|nachmittags        # de l'après-midi          # (de|por) la tarde
in the evening         # am abend|abends                  # (du|le) soir            # (de|por) la noche
at night               # nachts|in der nacht              # -                        # -
tomorrow               # morgen                           # demain                   # mañana
today                  # heute                            # aujourd'hui              # hoy
1 times a              # -                                # (une|1) fois par         # (una|1) vez (al|por|a la)
2 times a              # -                                # (deux|2) fois par        # (dos|2) veces (al|por|a la)
3 times a              # -                                # (trois|3) fois par       # (tres|3) veces (al|por|a la)
1 times                # einmal                           # -                        # -
2 times                # zweimal                          # -                        # -
3 times                # dreimal                          # -                        # -
4 times                # viermal                          # -                        # -
times                  # -                                # fois                     # -
a day                  # (?<=times )(täglich|(am|pro) tag) # -                       # -
a week                 # (?<=times )(wöchentlich|(die|pro|in der) woche) # -         # -
a month                # (?<=times )(monatlich|(im|pro) monat) # -                   # -
12:30                  # halb eins                        # -                        # -
1:30                   # halb zwei                        # -                        # -
90 minutes             # -                                # une heure et demie       # una hora y media
30 minutes             # (eine[rn]? )?halbe[nr]? stunde   # une demi-heure           # media hora
every other day        # -                                # tous les deux jours|un jour sur deux # -
every 2 weeks          # -                                # toutes les deux semaines # -
every weekday          # (an )?(jede[mn] |alle )?(werktage?n?|werktags|wochentags|arbeitstage?n?|unter der woche) # (tous les|chaque) jours? (ouvrables?|ouvrés?|de semaine)|en semaine # entre semana|((cada|todos) )?(los )?d[íi]as? (laborables?|hábil(es)?)
every weekend          # (am |jedes |an )?wochenenden?    # ((tous )?les|chaque|le) week-?ends? # (los |cada |todos los )?fin(es)? de semana
every day              # täglich|jede[nr] tag|alle tage   # tous les jours|chaque jour|quotidiennement # (todos los|cada) d[íi]as?|diariamente|a diario
every hour             # stündlich|jede stunde            # (toutes les|chaque) heures? # cada hora|todas las horas
every week             # wöchentlich|jede woche           # (toutes les|chaque) semaines? # cada semana|todas las semanas|semanalmente
last day of the month  # (am )?letzten tag ((im|des|eines( jeden)?|jede[ns]) )?monats? # le dernier jour du mois # (el )?último d[íi]a (del|de cada) mes
of the month           # im monat|(des|eines( jeden)?|jede[ns]) monats # du mois|de chaque mois|par mois # (del|de cada|al) mes
every month            # monatlich|jeden monat            # (tous les|chaque) mois|mensuellement # cada mes|todos los meses|mensualmente
every quarter          # vierteljährlich|jedes quartal    # -                        # -
every year             # jährlich|jedes jahr              # tous les ans|chaque année # cada año|todos los años
every other            # jede[nrsm]? (zweite[nrsm]?|2\.)  # -                        # -
every 3rd              # jede[nrsm]? (dritte[nrsm]?|3\.)  # -                        # -
every                  # jede[nrsm]?|alle                 # tous les|toutes les|chaque # cada|todos los|todas las
noon                   # mittags|am mittag|(um )?zwölf uhr mittags # (à )?midi       # (al? )?mediod[íi]a
midnight               # ((um|gegen) )?mitternacht        # (à )?minuit              # (a )?medianoche
in                     # -                                # dans                     # dentro de|en(?= (\d|un|dos|tres|media))
1st                    # erste[nrsm]?                     # (le )?(premier|1er)      # (el )?primero?
2nd                    # zweite[nrsm]?                    # (le )?(deuxième|second)  # (el )?segundo(?= \p{L})
3rd                    # dritte[nrsm]?                    # (le )?troisième          # (el )?tercero?
4th                    # vierte[nrsm]?                    # (le )?quatrième          # (el )?cuarto
last                   # letzte[nrsm]?                    # (le )?dernier            # (el )?último
next                   # (nächste|kommende)[nrsm]?        # prochaine?               # (el )?próximo
each: 1 2 3 4 5 6 7 8 9 10 11 12 15 20 30 # eine[nmrs]?|ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf fünfzehn zwanzig drei(ß|ss)ig # une? deux trois quatre cinq six sept huit neuf dix onze douze quinze vingt trente # un[ao]? dos tres cuatro cinco seis siete ocho nueve diez once doce quince veinte treinta
each: seconds minutes hours days day weeks months years # sekunden? minuten? stunden? tagen?|tage tag(es)? wochen? monaten?|monate jahren?|jahre # secondes? - heures? jours? - semaines? mois ans?|années? # segundos minutos? horas? d[íi]as? - semanas? mes(es)? años?
each: monday tuesday wednesday thursday friday saturday sunday # montag(e?s|e)?|mo dienstag(e?s|e)?|di mittwoch(e?s|e)?|mi donnerstag(e?s|e)?|do freitag(e?s|e)?|fr (samstag|sonnabend)(e?s|e)?|sa sonntag(e?s|e)?|so # lundis? mardis? mercredis? jeudis? vendredis? samedis? dimanches? # lunes martes mi[ée]rcoles jueves viernes s[áa]bados? domingos?
each: january february march april may june july august september october november december # januar februar märz - mai juni juli - - oktober - dezember # janvier février mars avril mai juin juillet août septembre octobre novembre décembre # enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
between                # zwischen                         # entre                    # entre
from                   # von                              # (à partir )?de(?= \d)    # -
to                     # bis                              # -                        # -
and                    # und                              # et                       # y
or                     # oder                             # ou                       # o
at                     # um                               # -                        # (a|sobre) las?
around                 # gegen                            # vers                     # -
except                 # außer                            # sauf                     # excepto
in                     # im                               # -                        # -
`

type Rule = [pattern: RegExp, english: string]

interface Language {
  code: string
  /** Words that only this language has: the language with the most of them in a text is chosen. */
  marks: RegExp
  /** Rules before and after the table. */
  before: Rule[]
  after: Rule[]
}

const wholeWords = (pattern: string) => new RegExp(`(?<![\\p{L}\\d])(?:${pattern})(?![\\p{L}\\d])`, 'gu')

const lundi = 'lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche'
const lunes = 'lunes|martes|mi[ée]rcoles|jueves|viernes|s[áa]bados?|domingos?'

/** In the order of the table's columns. */
const languages: readonly Language[] = [
  {
    code: 'de',
    marks: wholeWords(
      'jede[nrsm]?|alle|täglich|stündlich|wöchentlich|monatlich|jährlich|werktags?|wochentags|uhr|übermorgen|morgens|morgen|heute|abends?|mittags?|mitternacht|minuten|stunden?|tagen?|wochen?|montags?|dienstags?|mittwochs?|donnerstags?|freitags?|samstags?|sonntags?|zweimal|dreimal|einmal|um|nächste[nrs]?|zwischen|monats?|jeweils|wochenende',
    ),
    before: [],
    after: [
      [/\bhalb (\d+)/g, 'half to $1'],
      [/\bviertel (?:nach|über) (\d+)/g, 'quarter past $1'],
      [/\b(?:viertel vor|dreiviertel) (\d+)/g, 'quarter to $1'],
      [/(\d{1,2}) uhr (\d{2})/g, '$1:$2'],
      [wholeWords('uhr'), "o'clock"],
      [
        /(?<!\d)(\d{1,2})\.(?!\d)(?= (?:and|of|monday|tuesday|wednesday|thursday|friday|saturday|sunday|day)|,|$)/g,
        '$1th',
      ],
      [/(?<!\d)(\d{1,2})\. (?=\p{L})/gu, '$1 '],
      [wholeWords('an|am'), 'on'],
      [wholeWords('der|die|das|den|dem|des'), ' '],
    ],
  },
  {
    code: 'fr',
    marks: wholeWords(
      "tous|toutes|chaque|jours?|heures?|demain|dans|midi|minuit|semaines?|mois|lundis?|mardis?|mercredis?|jeudis?|vendredis?|samedis?|dimanches?|prochaine?|à|le|les|matins?|soirs?|après-midi|fois|aujourd'hui|entre|quotidiennement",
    ),
    before: [
      [wholeWords(`un (${lundi}) sur deux`), 'every other $1'],
      [wholeWords(`(?:tous )?les (${lundi})s`), 'every $1'],
      [wholeWords(`(?:du|de) (${lundi}) (?:au|à) (${lundi})`), 'every $1 to $2'],
      [wholeWords(`(${lundi}) prochain`), 'next $1'],
      [/(?<!\d)(\d{1,2}) ?h(?:eures?)? et demie?/g, '$1:30'],
      [/(?<!\d)(\d{1,2}) ?heures? (\d{2})(?!\d)/g, '$1:$2'],
      [/(?<=(?:à|vers|et|entre) )(\d{1,2}) heures?/g, "$1 o'clock"],
    ],
    after: [
      [/(?<=from \d{1,2} ?h? )à/g, 'to'],
      [/(?<!\p{L})le (?=\d{1,2} )/gu, 'on the '],
      [/(?<=on the )(\d{1,2})(?= (?:and|of))/g, '$1th'],
      [/(?<=and )(?:le |on the )(\d{1,2})(?= of)/g, '$1th'],
      [wholeWords('à|aux?'), 'at'],
      [wholeWords('les?|la|de|du|des'), ' '],
    ],
  },
  {
    code: 'es',
    marks: wholeWords(
      'cada|todos|todas|d[íi]as?|horas?|minutos?|semanas?|mes|meses|años?|mañana|tarde|noche|a las|mediodía|medianoche|lunes|martes|miércoles|jueves|viernes|sábados?|domingos?|dentro|próximo|veces|vez|hoy|pasado|entre|diariamente',
    ),
    before: [
      [wholeWords(`de (${lunes}) a (${lunes})`), 'every $1 to $2'],
      [wholeWords(`(?:un|1) (${lunes}) (?:de|sí) cada (?:dos|2)`), 'every other $1'],
      [wholeWords(`cada (?:dos|2) (${lunes})`), 'every other $1'],
      [wholeWords(`(?:todos )?los (${lunes})`), 'every $1'],
      [/(\d{1,2}) y media/g, '$1:30'],
      [/(\d{1,2}) y cuarto/g, '$1:15'],
      [/(\d{1,2}) menos cuarto/g, 'quarter to $1'],
    ],
    after: [
      [/(?<!\p{L})el (?:día )?(?=\d{1,2} )/gu, 'on the '],
      [/(?<=on the )(\d{1,2})(?= (?:and|of))/g, '$1th'],
      [/(?<=and )(?:el |on the )?(\d{1,2})(?= of the month)/g, '$1th'],
      [wholeWords('el|los|las|la|de|del'), ' '],
    ],
  },
]

/** Compiled with the first text in the language: so many patterns take some 10 ms. */
const compiled = new Map<string, Rule[]>()

function rulesOf({ code, before, after }: Language): Rule[] {
  const known = compiled.get(code)
  if (known) return known
  const column = languages.findIndex((language) => language.code === code) + 1
  const table = phrases
    .trim()
    .split('\n')
    .flatMap((row) => {
      const cells = row.replace('each: ', '').split(' # ')
      const [english = '', pattern = ''] = [cells[0], cells[column]].map((cell) => cell?.trim())
      if (!row.startsWith('each: ')) return [[pattern, english]]
      const words = english.split(' ')
      return pattern.split(' ').map((one, index) => [one, words[index]])
    })
    .filter(([pattern]) => pattern !== '-')
    .map(([pattern = '', english = '']): Rule => [wholeWords(pattern), english])
  const rules = [...before, ...table, ...after]
  compiled.set(code, rules)
  return rules
}

/** The text in English. `locale` only decides if the words do not. */
export function translated(text: string, locale?: string): string {
  const [found] = languages
    .map((language) => ({ language, count: text.match(language.marks)?.length ?? 0 }))
    .sort((left, right) => right.count - left.count)
  if (!found || found.count === 0) return text
  const asked = languages.find(({ code, marks }) => locale?.startsWith(code) && text.match(marks))
  return rulesOf(asked ?? found.language).reduce((words, [from, to]) => words.replace(from, to), text)
}
