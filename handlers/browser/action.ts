import { actInBrowser } from '../../runtime/browser/act.ts'
import { Action, ActionResult } from '../../runtime/browser/schema.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'

export const act = endpoint({
  method: 'POST',
  path: '/api/browser/action',
  summary: 'Do one act in the browser; 422 with code and hint when it cannot be done',
  body: Action,
  returns: ActionResult,
  async run({ body }, context) {
    return actInBrowser(context, body)
  },
})
