import type { Endpoint } from '../../runtime/http/endpoint.ts'
import * as action from './action.ts'
import * as authStates from './auth-states.ts'
import * as config from './config.ts'
import * as cookies from './cookies.ts'
import * as har from './har.ts'
import * as identity from './identity.ts'
import * as mock from './mock.ts'
import * as page from './page.ts'
import * as recordings from './recordings.ts'
import * as replays from './replays.ts'
import * as requests from './requests.ts'
import * as screenRecording from './screen-recording.ts'
import * as screenshot from './screenshot.ts'
import * as status from './status.ts'
import * as tabs from './tabs.ts'
import * as traffic from './traffic.ts'

const resources = [
  status,
  action,
  screenshot,
  page,
  tabs,
  cookies,
  authStates,
  identity,
  config,
  traffic,
  requests,
  har,
  mock,
  recordings,
  replays,
  screenRecording,
]

export const browser: Endpoint[] = resources.flatMap((resource): Endpoint[] => Object.values(resource))
