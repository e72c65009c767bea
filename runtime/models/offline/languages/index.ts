import { chinese } from './chinese.ts'
import { dutch } from './dutch.ts'
import { french } from './french.ts'
import { german } from './german.ts'
import { italian } from './italian.ts'
import { japanese } from './japanese.ts'
import type { Language } from './language.ts'
import { portuguese } from './portuguese.ts'
import { spanish } from './spanish.ts'

export const LANGUAGES: readonly Language[] = [
  german,
  french,
  spanish,
  italian,
  portuguese,
  dutch,
  japanese,
  chinese,
]
