import { each, NotExact, skipped } from './equivalent.ts'
import { pairs } from './http.ts'
import { isExpression, jsonOf, listOf, translated } from './texts.ts'
import type { Fields, Translate } from './translating.ts'

/** Nodes for APIs of any server or any part of one. */
export const apiNodes: Readonly<Record<string, Translate>> = {
  graphql({ parameters, has_credential, report }) {
    const { endpoint = '', requestMethod = 'POST', query = '', variables, operationName } = parameters
    const { authentication = 'none', responseFormat = 'json', headerParametersUi } = parameters
    if (authentication !== 'none' && !has_credential)
      report('authentication', 'needs a credential: choose it in the node')
    if (responseFormat !== 'json') throw new NotExact('an answer as text has no equivalent')
    const body = {
      query: translated(query),
      ...(variables === undefined || variables === '' ? {} : { variables: jsonOf(variables) }),
      ...(operationName === undefined || operationName === '' ? {} : { operationName: translated(operationName) }),
    }
    const isGet = requestMethod === 'GET'
    if (isGet && 'variables' in body) throw new NotExact('variables in the address have no equivalent')
    return each('http', {
      method: isGet ? 'GET' : 'POST',
      url: translated(endpoint),
      headers: pairs(headerParametersUi),
      ...(isGet ? { query: body } : { body }),
      only_body: true,
      transform:
        'if (input.errors) throw new Error(input.errors.map(({ message }) => message).join("; "))\nreturn input',
    })
  },
  facebookGraphApi(node) {
    const { parameters, report } = node
    const {
      hostUrl = 'graph.facebook.com',
      graphApiVersion = '',
      httpRequestMethod = 'GET',
      node: id = '',
      edge = '',
    } = parameters
    const { queryParameters, queryParametersJson, fields, ...others } = (parameters.options ?? {}) as Fields
    if (parameters.sendBinaryData === true) throw new NotExact('a file has no equivalent')
    if (queryParametersJson !== undefined && queryParametersJson !== '')
      throw new NotExact('a query as JSON has no equivalent')
    skipped(node, 'options', others)
    report(
      'credential',
      'needs a credential of the kind Query parameter with the name access_token: choose it in the node',
    )
    const names = listOf(fields).map(({ name }) => String(name))
    if (names.some(isExpression)) throw new NotExact('fields from expressions have no equivalent')
    const steps = [graphApiVersion, id, edge].map(String).filter((step) => step !== '' && step !== '=')
    const address = [
      `https://${String(hostUrl).replace(/^=/, '')}`,
      ...steps.map((step) => step.replace(/^=/, '')),
    ].join('/')
    const hasExpression = [hostUrl, ...steps].some(isExpression)
    return each('http', {
      method: httpRequestMethod,
      url: translated(hasExpression ? `=${address}` : address),
      query: { ...pairs(queryParameters), ...(names.length > 0 ? { fields: names.join(',') } : {}) },
      only_body: true,
    })
  },
}
