import { ExpressionError } from './extensions.ts'

/** What services take, made from the parameters that nodes of n8n have for them. */

type Fields = Readonly<Record<string, unknown>>

/** What a person chose from a list has its value inside. */
const chosen = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'value' in value ? value.value : value

/** The members that have a value. */
const filled = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''))

const listOf = (value: unknown): unknown[] =>
  Array.isArray(value)
    ? value
    : String(value ?? '')
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '')

const timeText = (time: unknown): string =>
  typeof time === 'object' && time !== null && 'toISO' in time
    ? String((time as { toISO(): string }).toISO())
    : String(time)

// Notion

const richText = (content: unknown) => [{ text: { content: String(content ?? '') } }]

/** `name|type`; names of properties may contain the sign. */
function propertyOf(key: unknown): { name: string; type: string | undefined } {
  const text = String(key)
  const at = text.lastIndexOf('|')
  return at < 0 ? { name: text, type: undefined } : { name: text.slice(0, at), type: text.slice(at + 1) }
}

const unknownProperty = (key: unknown): never => {
  throw new ExpressionError(`The property ${String(key)} has a type that is not known`)
}

/** Type of a property by the field that has its value, for keys without one. */
const typeByField: Readonly<Record<string, string>> = {
  title: 'title',
  textContent: 'rich_text',
  numberValue: 'number',
  checkboxValue: 'checkbox',
  selectValue: 'select',
  multiSelectValue: 'multi_select',
  statusValue: 'status',
  urlValue: 'url',
  emailValue: 'email',
  phoneValue: 'phone_number',
  peopleValue: 'people',
  relationValue: 'relation',
  date: 'date',
  dateStart: 'date',
}

const day = (time: unknown, withTime: boolean): string | undefined => {
  if (time === undefined || time === '') return undefined
  return withTime ? timeText(time) : timeText(time).slice(0, 10)
}

const propertyMakers: Readonly<Record<string, (from: Fields) => unknown>> = {
  title: ({ title }) => richText(title),
  rich_text: ({ textContent }) => richText(textContent),
  number: ({ numberValue }) => numberValue,
  checkbox: ({ checkboxValue = false }) => checkboxValue,
  select: ({ selectValue }) => ({ name: selectValue }),
  multi_select: ({ multiSelectValue }) => listOf(multiSelectValue).map((name) => ({ name })),
  status: ({ statusValue }) => ({ name: statusValue }),
  url: ({ urlValue }) => urlValue || null,
  email: ({ emailValue }) => emailValue,
  phone_number: ({ phoneValue }) => phoneValue,
  people: ({ peopleValue }) => listOf(peopleValue).map((id) => ({ object: 'user', id })),
  relation: ({ relationValue }) => listOf(relationValue).map((id) => ({ id })),
  date: ({ range, date, dateStart, dateEnd, includeTime }) => ({
    start: day(range ? dateStart : date, includeTime !== false),
    end: range ? day(dateEnd, includeTime !== false) : undefined,
  }),
}

function notionProperties(values: readonly Fields[] = [], title?: unknown): Fields {
  const made = values.map((value) => {
    const { name, type } = propertyOf(value.key)
    const kind = type ?? Object.entries(typeByField).find(([field]) => value[field] !== undefined)?.[1] ?? ''
    const make = Object.hasOwn(propertyMakers, kind) ? propertyMakers[kind] : undefined
    return [name, { [kind]: make ? make(value) : unknownProperty(value.key) }]
  })
  return { ...(title !== undefined && title !== '' && { title: richText(title) }), ...Object.fromEntries(made) }
}

const filterFields: Readonly<Record<string, string>> = {
  title: 'titleValue',
  rich_text: 'richTextValue',
  number: 'numberValue',
  checkbox: 'checkboxValue',
  select: 'selectValue',
  multi_select: 'multiSelectValue',
  status: 'statusValue',
  url: 'urlValue',
  email: 'emailValue',
  phone_number: 'phoneNumberValue',
  people: 'peopleValue',
  relation: 'relationValue',
  date: 'date',
}

function notionFilter(match: unknown, conditions: readonly Fields[] = []): Fields {
  const filters = conditions.map((one) => {
    const { name, type = '' } = propertyOf(one.key)
    const field = Object.hasOwn(filterFields, type) ? filterFields[type] : unknownProperty(one.key)
    const condition = String(one.condition)
    const own = one[field ?? '']
    const value = typeof own === 'object' && own !== null && 'toISO' in own ? timeText(own) : own
    const isBare = /^is_(?:not_)?empty$/.test(condition)
    const isSpan = /^(?:past|next|this)_/.test(condition)
    return { property: name, [type]: { [condition]: isBare ? true : isSpan ? {} : value } }
  })
  return { [match === 'allFilters' ? 'and' : 'or']: filters }
}

const notionBlocks = (values: readonly Fields[] = []) =>
  values.map(({ type: kind, textContent, checked = false }) => {
    const type = String(kind ?? 'paragraph')
    return { object: 'block', type, [type]: { rich_text: richText(textContent), ...(type === 'to_do' && { checked }) } }
  })

/** The id in an address of Notion, or the text itself. */
const notionId = (address: unknown): string =>
  /[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}/i.exec(String(address))?.[0] ?? String(address)

export const $notion = { properties: notionProperties, filter: notionFilter, blocks: notionBlocks, id: notionId }

// Google Drive

const quoted = (text: unknown) => `'${String(text).replace(/[\\']/g, '\\$&')}'`

/** The id in an address of Drive, or the text itself. */
const driveId = (address: unknown): string => /[-\w]{25,}/.exec(String(address))?.[0] ?? String(address)

/** A new file, in a folder if there is one. */
const driveFile = (own: Fields, folder: unknown): Fields => ({
  ...own,
  ...(folder ? { parents: [driveId(folder)] } : {}),
})

/** Which fields of files a search returns. */
const driveFields = (names: readonly string[] = ['id', 'name']): string =>
  `nextPageToken, files(${names.includes('*') ? '*' : names.join(',')})`

const folderType = "'application/vnd.google-apps.folder'"

/** The search of files and folders, as https://developers.google.com/workspace/drive/api/guides/search-files has it. */
function driveQuery({ text, is_query, filter = {} }: { text?: unknown; is_query?: boolean; filter?: Fields }) {
  const folder = chosen(filter.folderId)
  const parts = [
    text ? (is_query ? String(text) : `name contains ${quoted(text)}`) : '',
    folder ? `${quoted(driveId(folder))} in parents` : '',
    filter.whatToSearch === 'folders' ? `mimeType = ${folderType}` : '',
    filter.whatToSearch === 'files' ? `mimeType != ${folderType}` : '',
    filter.includeTrashed ? '' : 'trashed = false',
  ]
  return parts.filter((part) => part !== '').join(' and ') || null
}

export const $drive = { query: driveQuery, file: driveFile, fields: driveFields, id: driveId }

// HubSpot

const hubspotNames: Readonly<Record<string, string>> = {
  firstName: 'firstname',
  lastName: 'lastname',
  jobTitle: 'jobtitle',
  phoneNumber: 'phone',
  mobilePhoneNumber: 'mobilephone',
  companyName: 'company',
  websiteUrl: 'website',
  postalCode: 'zip',
  stateRegion: 'state',
  streetAddress: 'address',
  contactOwner: 'hubspot_owner_id',
  leadStatus: 'hs_lead_status',
  dealOwner: 'hubspot_owner_id',
  companyOwner: 'hubspot_owner_id',
  companyDomainName: 'domain',
  employees: 'numberofemployees',
}

interface HubspotFields {
  customPropertiesUi?: { customPropertiesValues?: { property: unknown; value: unknown }[] }
}

function hubspotProperties(own: Fields, additional: Fields & HubspotFields = {}): Fields {
  const plain = Object.entries(additional).filter(([, value]) => typeof value !== 'object')
  const custom = additional.customPropertiesUi?.customPropertiesValues ?? []
  return {
    ...own,
    ...Object.fromEntries(
      plain.map(([name, value]) => [
        (Object.hasOwn(hubspotNames, name) ? hubspotNames[name] : undefined) ?? name.toLowerCase(),
        value,
      ]),
    ),
    ...Object.fromEntries(custom.map(({ property, value }) => [String(property).split('|')[0], value])),
  }
}

export const $hubspot = { properties: hubspotProperties }

// Supabase

interface SupabaseCondition {
  keyName: string
  condition?: string
  keyValue: unknown
  searchFunction?: string
}

const supabaseOperator = ({ condition = 'eq', searchFunction }: SupabaseCondition) =>
  condition === 'fullText' ? searchFunction : condition

/** A value in a list of conditions, where a comma or parenthesis outside quotes would begin another condition. */
const supabaseValue = (value: unknown): string => {
  const text = String(value)
  return /[,()"\\]/.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : text
}

/** The query of rows by conditions, of which all or any must hold. A query has each name once. */
function supabaseQuery(any: boolean, conditions: readonly SupabaseCondition[] = []): Fields {
  const isUnique = new Set(conditions.map(({ keyName }) => keyName)).size === conditions.length
  if (conditions.length === 0 || (isUnique && !any))
    return Object.fromEntries(conditions.map((one) => [one.keyName, `${supabaseOperator(one)}.${one.keyValue}`]))
  const tests = conditions.map((one) => `${one.keyName}.${supabaseOperator(one)}.${supabaseValue(one.keyValue)}`)
  return { [any ? 'or' : 'and']: `(${tests.join(',')})` }
}

const supabaseSelect = (any: boolean, conditions: readonly SupabaseCondition[] | undefined, limit: number): Fields => ({
  select: '*',
  limit,
  ...supabaseQuery(any, conditions),
})

/** The rows of a change, which needs a condition: without one it would concern every row. */
function supabaseRows(any: boolean, conditions: readonly SupabaseCondition[] = []): Fields {
  if (conditions.length === 0) throw new ExpressionError('At least one condition is needed')
  return supabaseQuery(any, conditions)
}

/** The fields of an item but for those that are to be ignored. */
function supabaseRow(item: Fields, ignored: unknown): Fields {
  const names = new Set(['$binary', ...listOf(ignored)])
  return Object.fromEntries(Object.entries(item).filter(([name]) => !names.has(name)))
}

const supabaseFields = (values: readonly { fieldId: string; fieldValue: unknown }[] = []): Fields =>
  Object.fromEntries(values.map(({ fieldId, fieldValue }) => [fieldId, fieldValue]))

export const $supabase = { select: supabaseSelect, rows: supabaseRows, row: supabaseRow, fields: supabaseFields }

// Jira and Zendesk

function jiraFields(own: Fields, more: Fields = {}): Fields {
  const byId = (value: unknown) => (value ? { id: chosen(value) } : undefined)
  return filled({
    ...own,
    description: more.description,
    labels: more.labels,
    priority: byId(more.priority),
    assignee: byId(more.assignee),
    parent: more.parentIssueKey ? { key: more.parentIssueKey } : undefined,
  })
}

const jiraIssue = (project: unknown, type: unknown, summary: unknown, more?: Fields): Fields =>
  jiraFields({ project: { id: project }, issuetype: { id: type }, summary }, more)

export const $jira = { fields: jiraFields, issue: jiraIssue }

interface ZendeskFields {
  customFieldsUi?: { customFieldsValues?: unknown }
}

/** A ticket; a note for the team is a comment that is not public. */
function zendeskTicket(comment: unknown, more: Fields & ZendeskFields = {}): Fields {
  const note = more.internalNote ?? more.publicReply
  return filled({
    type: more.type,
    status: more.status,
    subject: more.subject,
    tags: more.tags,
    group_id: more.group,
    external_id: more.externalId,
    recipient: more.recipient,
    assignee_email: more.assigneeEmail,
    comment: comment ?? (note ? { html_body: note, public: !more.internalNote } : undefined),
    custom_fields: more.customFieldsUi?.customFieldsValues,
  })
}

const zendeskSearch = (query: unknown, status: unknown): string =>
  ['type:ticket', query, status && `status:${status}`].filter(Boolean).join(' ')

const zendeskUsers = (per_page: number, role: unknown): Fields => ({
  per_page,
  ...(role ? { 'role[]': [role].flat()[0] } : {}),
})

export const $zendesk = { ticket: zendeskTicket, search: zendeskSearch, users: zendeskUsers }

// WordPress and OpenWeatherMap

const wordpressNames: Readonly<Record<string, string>> = { orderBy: 'orderby', authorId: 'author' }

const wordpressPosts = (per_page: number, options: Fields = {}): Fields => ({
  per_page,
  ...Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      Object.hasOwn(wordpressNames, name) ? wordpressNames[name] : name,
      [value].flat().join(','),
    ]),
  ),
})

export const $wordpress = { posts: wordpressPosts }

function openWeatherQuery(parameters: Fields): Fields {
  const { format = 'metric', language, locationSelection, cityId, cityName, latitude, longitude, zipCode } = parameters
  const places: Readonly<Record<string, Fields>> = {
    cityId: { id: cityId },
    coordinates: { lat: latitude, lon: longitude },
    zipCode: { zip: zipCode },
  }
  return { units: format, lang: language || null, ...(places[String(locationSelection)] ?? { q: cityName }) }
}

export const $openWeather = { query: openWeatherQuery }
