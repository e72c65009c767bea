import { patternsOf } from '../../english/patterns.ts'
import cues from './cues.json' with { type: 'json' }

/** What surrounds, joins and refers, in requests and goals. */
export const cue = patternsOf(cues, 'iu')
