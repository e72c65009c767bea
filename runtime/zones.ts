import { isTimeZone } from './time.ts'

/** Places that are not in the name of an IANA zone, or are spelled differently there. */
const PLACES: Record<string, string> = {
  'America/New_York': `nyc|new york city|boston|washington|washington dc|miami|philadelphia|atlanta|us east|est|edt|eastern|nueva york|nova york|ニューヨーク|纽约`,
  'America/Chicago': 'houston|dallas|austin|minneapolis|texas|cst|central time',
  'America/Denver': 'salt lake city|colorado|mst|mountain time',
  'America/Los_Angeles':
    'la|san francisco|sf|seattle|san diego|silicon valley|california|las vegas|portland|pst|pdt|pacific time|us west|洛杉矶|ロサンゼルス',
  'America/Toronto': 'ottawa|montreal|quebec',
  'America/Sao_Paulo': 'sao paulo|são paulo|rio|rio de janeiro|brasilia|brasília|brazil|brasil',
  'America/Argentina/Buenos_Aires': 'argentina|buenos aires',
  'America/Mexico_City': 'mexico|ciudad de méxico|cdmx',
  'Europe/London':
    'uk|england|britain|great britain|united kingdom|scotland|manchester|edinburgh|londres|londra|londen|bst|ロンドン|伦敦',
  'Europe/Dublin': 'ireland',
  'Europe/Paris': 'france|lyon|marseille|parigi|parijs|parís|frankreich|パリ|巴黎',
  'Europe/Berlin':
    'germany|munich|hamburg|frankfurt|cologne|münchen|köln|deutschland|berlín|berlino|berlijn|cet|cest|ベルリン|柏林',
  'Europe/Madrid': 'spain|barcelona|españa|マドリード|马德里',
  'Europe/Rome': 'italy|milan|milano|roma|rom|italia|ローマ|罗马',
  'Europe/Lisbon': 'portugal|lisboa|porto|lissabon|lisbonne',
  'Europe/Amsterdam': 'netherlands|holland|rotterdam|nederland',
  'Europe/Brussels': 'belgium|bruxelles|brussel|brüssel',
  'Europe/Zurich': 'switzerland|zürich|geneva|genf|basel|bern|schweiz|suisse',
  'Europe/Vienna': 'austria|wien|vienne|österreich',
  'Europe/Prague': 'czech republic|czechia|prag',
  'Europe/Warsaw': 'poland|krakow|warschau',
  'Europe/Athens': 'greece|athen',
  'Europe/Istanbul': 'turkey|ankara',
  'Europe/Moscow': 'russia|moskau|moscou|st petersburg',
  'Europe/Kyiv': 'ukraine|kiev',
  'Europe/Stockholm': 'sweden',
  'Europe/Oslo': 'norway',
  'Europe/Copenhagen': 'denmark',
  'Europe/Helsinki': 'finland',
  'Africa/Cairo': 'egypt|kairo',
  'Africa/Johannesburg': 'south africa|cape town',
  'Africa/Nairobi': 'kenya',
  'Africa/Lagos': 'nigeria',
  'Asia/Dubai': 'uae|abu dhabi|emirates',
  'Asia/Jerusalem': 'israel|tel aviv',
  'Asia/Kolkata': 'india|mumbai|delhi|new delhi|bangalore|bengaluru|chennai|calcutta|hyderabad',
  'Asia/Shanghai': 'china|beijing|peking|shenzhen|guangzhou|pékin|pechino|北京|上海|中国',
  'Asia/Hong_Kong': 'hongkong|香港',
  'Asia/Taipei': 'taiwan|台北',
  'Asia/Tokyo': 'japan|osaka|kyoto|tokio|tóquio|tokyo|東京|日本|大阪|东京',
  'Asia/Seoul': 'korea|south korea|ソウル|首尔',
  'Asia/Bangkok': 'thailand',
  'Asia/Ho_Chi_Minh': 'vietnam|hanoi|saigon',
  'Asia/Jakarta': 'indonesia|bali',
  'Asia/Manila': 'philippines',
  'Asia/Karachi': 'pakistan|lahore',
  'Australia/Sydney': 'canberra|シドニー|悉尼',
  'Pacific/Auckland': 'new zealand|wellington',
  'Pacific/Honolulu': 'hawaii',
  UTC: 'utc|gmt|greenwich|zulu',
}

const ALIASES = new Map(
  Object.entries(PLACES).flatMap(([zone, names]) =>
    names.split('|').map((name): [string, string] => [name, zone]),
  ),
)

/** The IANA zone of a place, given as a zone name, a city or a common name. Undefined if unknown. */
export function zoneOf(place: string): string | undefined {
  const name = place
    .trim()
    .toLowerCase()
    .replace(/^the /, '')
    .replace(/(?<![?!.,])[?!.,]+$/, '')
  return ALIASES.get(name) ?? cities().get(name.replace(/[\s-]+/g, '_')) ?? ownName(place.trim())
}

function ownName(name: string): string | undefined {
  return /^[A-Za-z]+(?:\/[A-Za-z_+-]+\d*)+$/.test(name) && isTimeZone(name) ? name : undefined
}

function cities(): Map<string, string> {
  const zones = Intl.supportedValuesOf('timeZone')
  return new Map(zones.map((zone) => [zone.slice(zone.lastIndexOf('/') + 1).toLowerCase(), zone]))
}
