import { endpoint } from '../../runtime/http/endpoint.ts'
import { Profile, ProfileChange, profile } from '../../runtime/settings/profile.ts'
import { changeSection, readSection } from '../../runtime/settings/section.ts'

export const show = endpoint({
  method: 'GET',
  path: '/api/settings/profile',
  summary: 'Read the profile',
  returns: Profile,
  async run(_, context) {
    return readSection(context, profile)
  },
})

export const update = endpoint({
  method: 'PUT',
  path: '/api/settings/profile',
  summary: 'Change any part of the profile',
  body: ProfileChange,
  returns: Profile,
  async run({ body }, context) {
    return changeSection(context, profile, body)
  },
})
