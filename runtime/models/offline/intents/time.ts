import { isZone, longDay, wallClock } from '../dates/clock.ts'
import { zoneOf } from '../dates/zones.ts'
import { composeFailure } from '../failure.ts'
import { textField } from '../outcome.ts'
import {
  call,
  type Intent,
  type IntentMatch,
  matched,
  type Outcome,
  type Scene,
  type Script,
  say,
} from '../types.ts'

const NOW = '(?: right)?(?: now| currently| at the moment)?'
const PLACE = `(?: (?:in|at|for|over in) (?<place>.+?))?${NOW}$`
const TIME = new RegExp(
  `^(?:(?:do you )?(?:know|have|tell me|give me|show me|say) )?(?:what(?:'s| is|'re)?(?: the)?(?: current| local| exact)? time(?: is it| it is| do we have)?|(?:the )?(?:current |local |exact )?time|what time(?: is it| it is)?|how late is it|clock)${NOW}${PLACE}`,
  'i',
)
const DATE = new RegExp(
  `^(?:(?:do you )?(?:know|tell me|give me|show me|say) )?(?:what(?:'s| is)?(?: the| today'?s)?(?: current)? date(?: is it| it is)?|(?:the |today'?s )?(?:current )?date|what (?:day|date|weekday|month|year|week ?day)(?: of the week)?(?: is it| it is| is today| is this| do we have)|which (?:day|date|month|year) (?:is it|is today|it is|do we have)|what(?:'s| is) today|is (?:it|today) (?:an? )?(?:mon|tues|wednes|thurs|fri|satur|sun)day(?: today)?)(?: today| now)?${PLACE}`,
  'i',
)

export const time: Intent = {
  name: 'time',
  title: 'Time and date',
  tools: [],
  examples: ['what time is it in Tokyo', "what's the date"],
  match(text) {
    return slotsOf(TIME.exec(text), 'time') ?? slotsOf(DATE.exec(text), 'date')
  },
  async *run({ slots }, scene) {
    const places = slots.place ? slots.place.split(/\s*,\s*(?:and )?|\s+and\s+/) : ['']
    for (const place of places) yield* onePlace(place.trim(), slots.kind ?? 'time', scene)
    return undefined
  },
}

function slotsOf(found: RegExpExecArray | null, kind: string): IntentMatch | null {
  if (!found) return null
  const place = found.groups?.place?.replace(/^(?:now|today|here|my (?:city|area|zone|place))$/i, '')
  if (place && /\d|^(?:an? |the (?:morning|afternoon|evening))/i.test(place)) return null
  return matched(0.93, place ? { kind, place } : { kind })
}

async function* onePlace(place: string, kind: string, scene: Scene): Script {
  const zone = place === '' ? undefined : zoneOf(place)
  if (place !== '' && !zone) {
    yield say(
      `I do not know the time zone of "${place}".\nWhich time zone do you mean (for example Europe/Berlin)?`,
    )
    return undefined
  }
  if (!scene.tools.has('time')) {
    yield say(told(scene.now, zone ?? scene.timezone, place, kind))
    return undefined
  }
  const asked = yield call('time', zone ? { timezone: zone } : {})
  yield say(asked.failed ? composeFailure(asked) : composeTime(asked, place, kind))
  return undefined
}

/** The tool's instant on the wall clock of its zone, or its own words when it gives no instant. */
function composeTime({ output }: Outcome, place: string, kind: string): string {
  const instant = Date.parse(textField(output, 'iso'))
  const zone = textField(output, 'timezone')
  if (!Number.isNaN(instant) && isZone(zone)) return told(instant, zone, place, kind)
  return `It is ${textField(output, 'local') || textField(output, 'iso')}${zone ? ` (${zone})` : ''}.`
}

function told(instant: number, zone: string, place: string, kind: string): string {
  const clock = wallClock(instant, zone)
  const where = place === '' ? ` (${clock.timezone})` : ` in ${place} (${clock.timezone})`
  return kind === 'date'
    ? `Today is ${longDay(clock)}${where}.`
    : `It is ${clock.time} on ${longDay(clock)}${where}.`
}
