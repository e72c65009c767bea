import { images, priced, vendor } from './vendor.ts'

export const google = vendor({
  id: 'google',
  name: 'Google Gemini',
  kind: 'vendor',
  models: [
    priced('gemini-2.5-pro', 1_048_576, [1.25, 10, 0.125]),
    priced('gemini-2.5-flash', 1_048_576, [0.3, 2.5, 0.03]),
  ],
  base_url: 'https://generativelanguage.googleapis.com/v1beta',
  list: 'google',
  files: [...images, 'application/pdf'],
  open: async (opening, model) => (await import('@ai-sdk/google')).createGoogle(opening)(model),
})
