import type { Endpoint } from '../../runtime/http/endpoint.ts'
import * as all from './all.ts'
import * as avatar from './avatar.ts'
import * as profile from './profile.ts'

export const settings: Endpoint[] = [all, profile, avatar].flatMap((resource) => Object.values(resource))
