import * as page from './page.ts'
import * as recordings from './recordings.ts'
import * as screenRecordings from './screen-recordings.ts'
import * as session from './session.ts'
import * as settings from './settings.ts'
import * as traffic from './traffic.ts'

export const browser = [
  ...Object.values(session),
  ...Object.values(page),
  ...Object.values(settings),
  ...Object.values(traffic),
  ...Object.values(recordings),
  ...Object.values(screenRecordings),
]
