import type { Endpoint } from '../../runtime/http/endpoint.ts'
import * as action from './action.ts'
import * as authStates from './auth-states.ts'
import * as config from './config.ts'
import * as cookies from './cookies.ts'
import * as identity from './identity.ts'
import * as page from './page.ts'
import * as screenshot from './screenshot.ts'
import * as status from './status.ts'
import * as tabs from './tabs.ts'
import * as traffic from './traffic.ts'

const resources = [status, action, screenshot, page, tabs, cookies, authStates, identity, config, traffic]

export const browser: Endpoint[] = resources.flatMap((resource): Endpoint[] => Object.values(resource))
