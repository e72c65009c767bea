import type { Language } from './language.ts'

export const dutch: Language = {
  code: 'nl',
  name: 'Dutch',
  words:
    'vat samen lees ik jij je wij jullie mij mijn jouw en of niet zijn ben bent het een deze die dat wie waar wanneer waarom hoe welke met voor op over van naar kun kunt kan heb hebt vandaag morgen gisteren ook nog al zeer weer uur schrijf toon vertaal vertel gedicht alsjeblieft graag maak geef wat',
  phrases: [
    ['greet', /^(?:hallo daar|hoi|goedemorgen|goedemiddag|goedenavond|goedendag|dag)(?: allemaal)?$/iu],
    ['thanks', /^(?:dank je(?: wel)?|dankjewel|bedankt|dank u(?: wel)?)$/iu],
    [
      'help',
      /^(?:(?:spreek|praat) je nederlands|wat (?:kun|kan) je(?: (?:allemaal|doen|voor me doen))*|help me even|hoe (?:kun|kan) je (?:me )?helpen)$/iu,
    ],
    ['time', /^(?:hoe laat is het|wat is de tijd|de tijd)(?: nu)?(?: in (?<place>.+))?$/iu],
    [
      'date',
      /^(?:welke dag is het(?: vandaag)?|wat is de datum(?: vandaag)?|de hoeveelste is het(?: vandaag)?)$/iu,
    ],
    ['recall', /^(?<query>hoe heet ik|wat is mijn naam|wie ben ik)$/iu],
    [
      'recall',
      /^(?:wat weet je (?:nog )?(?:over|van)|herinner je je|weet je nog(?: van)?|wat heb ik je verteld over) (?<query>.+)$/iu,
    ],
    ['recall', /^(?<query>(?:wat|wie|waar|wanneer|welke|hoe) .*\b(?:mijn|ik|mij)\b.*)$/iu],
    [
      'remember',
      /^(?:onthoud|vergeet niet|noteer|bewaar|denk eraan)[,:]?\s+(?:alsjeblieft\s+)?(?:dat\s+)?(?<content>.+)$/iu,
    ],
    ['name', /^(?:ik heet|mijn naam is|noem me) (?<name>\p{L}[\p{L} '-]*)$/iu],
    [
      'remember',
      /^(?<content>(?:ik (?:hou van|houd van|haat|woon|werk|drink|eet|spreek|vind)|mijn \p{L}+ (?:is|zijn|heet)) .+)$/iu,
    ],
  ],
  say: {
    notice:
      'Ik ben het ingebouwde offline model: ik volg vaste regels en gebruik hulpmiddelen, maar heb geen kennis van de wereld.',
    hello: 'Hallo! Wat kan ik doen?',
    welcome: 'Graag gedaan.',
    help: 'In het Nederlands kan ik: iets onthouden ("Onthoud dat ik van thee hou"), het terugvinden ("Wat weet je over thee?"), de tijd zeggen, rekenen en webpagina\'s samenvatten. In het Engels kan ik meer ("help").',
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
