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

export const browser = [
  ...Object.values(status),
  ...Object.values(action),
  ...Object.values(screenshot),
  ...Object.values(page),
  ...Object.values(tabs),
  ...Object.values(cookies),
  ...Object.values(authStates),
  ...Object.values(identity),
  ...Object.values(config),
  ...Object.values(traffic),
  ...Object.values(requests),
  ...Object.values(har),
  ...Object.values(mock),
  ...Object.values(recordings),
  ...Object.values(replays),
  ...Object.values(screenRecording),
]
