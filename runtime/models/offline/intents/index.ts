import { WORDS } from '../grammar.ts'
import type { Behaviour, Intent } from '../types.ts'
import { calculate, greet, help, time } from './answers.ts'
import { cancel, deliver, jobs, schedule } from './jobs.ts'
import { knowledge, recall, remember } from './memory.ts'
import { fetch, names, plan, summarise } from './texts.ts'
import { files, list, project, write } from './things.ts'

const reading = { fetch, names, plan, summarise, calculate, greet, help, time }
const changing = { cancel, deliver, jobs, schedule, knowledge, recall, remember, files, list, project, write }
const behaviours = new Map<string, Behaviour>(Object.entries({ ...reading, ...changing }))

/** Every intent of `grammar.json` with what it does. */
export const INTENTS: readonly Intent[] = WORDS.flatMap((words) => {
  const behaviour = behaviours.get(words.name)
  return behaviour ? [{ ...words, ...behaviour }] : []
})
