import type { Content, OpenApi, Operation, Parameter } from '../../../runtime/http/openapi/types.ts'
import { type Html, html, prose } from './html.ts'
import { facts, shapeList } from './shape.ts'
import { style } from './style.ts'

interface Entry {
  method: string
  path: string
  operation: Operation
}

/** Renders the document as one page without scripts. */
export function docsPage(document: OpenApi): string {
  const { info, tags, components } = document
  const entries = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  const areas = tags.map(({ name }) => ({
    name,
    entries: entries.filter(({ operation }) => operation.tags.includes(name)),
  }))
  const named = Object.entries(components.schemas)
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title} ${info.version}: API</title>
<style>${{ markup: style }}</style>
</head>
<body>
<header>
<h1>${info.title} API</h1>
<p class="quiet">Release ${info.version}, ${entries.length} endpoints. Also available as <a href="/api/openapi.json">OpenAPI</a>.</p>
${prose(info.description)}
<nav aria-label="Areas"><ul>${areas.map(({ name }) => html`<li><a href="#${name}">${name}</a></li>`)}</ul></nav>
</header>
<main>
${areas.map((area) => html`<section><h2 id="${area.name}">${area.name}</h2>${area.entries.map(entryBlock)}</section>`)}
<section><h2 id="schemas">Schemas</h2>${named.map(([name, shape]) => html`<h3 id="schema-${name}">${name}</h3>${shape.description && prose(shape.description)}${shapeList(shape)}`)}</section>
</main>
</body>
</html>
`.markup
}

function entryBlock({ method, path, operation }: Entry): Html {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation
  const method_name = operation['x-websocket'] ? 'SOCKET' : method
  return html`<details id="${operationId}">
<summary><code class="method">${method_name}</code><code>${path}</code><span>${summary}</span></summary>
<div>
<p class="quiet">${accessOf(operation)} · <a href="#${operationId}">${operationId}</a></p>
${description && prose(description)}
${parameters.length > 0 && html`<h3>Parameters</h3><ul class="fields">${parameters.map(parameterItem)}</ul>`}
${requestBody && html`<h3>Body${requestBody.required ? null : ' (optional)'}</h3>${contentBlocks(requestBody.content)}`}
${Object.entries(responses).map(([status, answer]) => answerBlock(status, answer))}
</div>
</details>
`
}

function accessOf({ security }: Operation): string {
  const scopes = [...new Set(security.flatMap((one) => Object.values(one).flat()))]
  if (security.length === 0) return 'Public'
  if (security.some((one) => Object.keys(one).length === 0)) {
    return scopes.length === 0 ? 'During setup' : 'Public unless anonymous access is disabled'
  }
  return `Scope ${scopes.join(', ')}`
}

function parameterItem({ name, in: place, required, description = '', schema }: Parameter): Html {
  return html`<li><code class="name">${name}</code> ${facts({ ...schema, description }, { place, required })}</li>`
}

const contentBlocks = (content: Content): Html[] =>
  Object.entries(content).map(([type, { schema }]) => html`<p><code>${type}</code></p>${shapeList(schema)}`)

/** Error responses share two schemas, which are at the end of the page. */
function answerBlock(status: string, { description, content = {} }: Operation['responses'][string]): Html {
  const shapes = Object.values(content).map(({ schema }) => schema)
  const refused = shapes.some((shape) => typeof shape.$ref === 'string' && /(Refusal|Unauthorized)$/.test(shape.$ref))
  if (refused) return html`<p><b>${status}</b> ${description}</p>`
  return html`<h3>${status}: ${description}</h3>${contentBlocks(content)}`
}
