import { images, vendor } from './vendor.ts'

export const google = vendor({
  id: 'google',
  name: 'Google Gemini',
  kind: 'vendor',
  base_url: 'https://generativelanguage.googleapis.com/v1beta',
  list: 'google',
  files: [...images, 'application/pdf'],
  open: async (opening, model) => (await import('@ai-sdk/google')).createGoogle(opening)(model),
})
