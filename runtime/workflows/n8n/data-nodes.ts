import { ownValue } from '../../own-value.ts'
import { isRecord } from '../../values.ts'
import { scriptExpression } from '../script/template.ts'
import { each, list, NotExact } from './equivalent.ts'
import { call } from './set.ts'
import { codeOf, commaSeparated, isExpression, listOf, translated } from './texts.ts'
import type { Fields, Translate, Translated, Translating } from './translating.ts'

/** Names of fields, separated by commas. */
export const namesIn = (value: unknown): unknown =>
  isExpression(value)
    ? scriptExpression(`$join(${codeOf(value)}).split(",").map((name) => name.trim()).filter(Boolean)`)
    : commaSeparated(value)

export const optionsOf = ({ parameters }: Translating): Fields => (parameters.options ?? {}) as Fields

/** Whether dots in names lead to members. */
const dots = (node: Translating): Fields => {
  const { options, disableDotNotation } = node.parameters as Fields
  const own = (options as Fields | undefined)?.disableDotNotation ?? disableDotNotation
  return own === true ? { paths: false } : {}
}

const listNodes: Readonly<Record<string, Translate>> = {
  limit: ({ parameters: { maxItems = 1, keep = 'firstItems' } }) =>
    list('limit', { max: translated(maxItems), keep: keep === 'lastItems' ? 'last' : 'first' }),
  splitOut(node) {
    const { fieldToSplitOut = '', include = 'noOtherFields', fieldsToInclude } = node.parameters
    const { destinationFieldName = node.parameters.destinationFieldName, includeBinary } = optionsOf(node)
    if (includeBinary === true) node.report('options.includeBinary', 'was skipped: the files of the item are left out')
    if (String(fieldToSplitOut).includes('$binary')) throw new NotExact('files have no equivalent')
    const fields = isExpression(fieldToSplitOut)
      ? fieldToSplitOut
      : String(fieldToSplitOut).replace(/(^|,)\s*\$json\./g, '$1')
    const selected = (fieldsToInclude as { fields?: Fields[] } | undefined)?.fields
    return each('split_out', {
      fields: namesIn(fields),
      into: namesIn(destinationFieldName),
      keep: include === 'allOtherFields' ? 'all' : include === 'selectedOtherFields' ? 'selected' : 'nothing',
      selected: selected ? selected.map(({ fieldName }) => fieldName) : namesIn(fieldsToInclude),
      ...dots(node),
    })
  },
  aggregate(node) {
    const {
      aggregate = 'aggregateIndividualFields',
      fieldsToAggregate,
      destinationFieldName = 'data',
    } = node.parameters
    const { mergeLists, keepMissing, includeBinaries } = optionsOf(node)
    if (includeBinaries === true)
      node.report('options.includeBinaries', 'was skipped: the files of the items are left out')
    if (aggregate === 'aggregateAllItemData') {
      const { fieldsToExclude, fieldsToInclude, include } = node.parameters
      return list('aggregate', {
        into: translated(destinationFieldName),
        only: include === 'allFieldsExcept' ? [] : fieldNames(fieldsToInclude),
        except: include === 'specifiedFields' ? [] : fieldNames(fieldsToExclude),
      })
    }
    return list('aggregate', {
      fields: listOf(fieldsToAggregate).map(({ fieldToAggregate, renameField, outputFieldName }) => ({
        field: translated(fieldToAggregate ?? ''),
        into: renameField === true ? translated(outputFieldName ?? '') : '',
      })),
      join_lists: mergeLists === true,
      keep_empty: keepMissing === true,
      ...dots(node),
    })
  },
  sort(node) {
    const { type = 'simple', sortFieldsUi, code = '' } = node.parameters
    if (type === 'code') return list('sort', { code })
    const fields = listOf(sortFieldsUi).map(({ fieldName, order }) => ({
      field: translated(fieldName ?? ''),
      descending: order === 'descending',
    }))
    return list('sort', { fields: type === 'random' ? [] : fields, ...dots(node) })
  },
  summarize(node) {
    const { fieldsToSummarize, fieldsToSplitBy } = node.parameters
    const { outputFormat, skipEmptySplitFields } = optionsOf(node)
    const operations: Fields = { countUnique: 'count_unique' }
    return list('summarize', {
      required: node.version === 1 && optionsOf(node).continueIfFieldNotFound !== true,
      summaries: listOf(fieldsToSummarize).map(({ aggregation = 'count', field, includeEmpty, ...own }) => ({
        field: translated(field ?? ''),
        operation: ownValue(operations, String(aggregation)) ?? aggregation,
        include_empty: includeEmpty === true,
        separator: own.separateBy === 'other' ? String(own.customSeparator ?? '') : String(own.separateBy ?? ','),
      })),
      group_by: namesIn(fieldsToSplitBy),
      one_item: outputFormat === 'singleItem',
      skip_empty_groups: skipEmptySplitFields === true,
      text_groups: node.version === 1,
      ...dots(node),
    })
  },
  removeDuplicates(node) {
    const { compare = 'allFields', fieldsToCompare, fieldsToExclude } = node.parameters
    const { operation = 'removeDuplicateInputItems' } = node.parameters
    if (operation === 'removeItemsSeenInPreviousExecutions' || operation === 'clearDeduplicationHistory')
      return skipSeen(node, operation)
    if (operation !== 'removeDuplicateInputItems' && operation !== 'removeDuplicates')
      throw new NotExact(`its operation ${operation} has no equivalent`)
    return list('remove_duplicates', {
      fields: compare === 'selectedFields' ? fieldNames(fieldsToCompare) : [],
      except: compare === 'allFieldsExcept' ? fieldNames(fieldsToExclude) : [],
      only_compared: optionsOf(node).removeOtherFields === true,
      ...dots(node),
    })
  },
}

function skipSeen(node: Translating, operation: string): Translated {
  const { logic = 'removeItemsWithAlreadySeenKeyValues', dedupeValue } = node.parameters
  const { scope = 'node', historySize = 10_000 } = optionsOf(node)
  const forget = operation === 'clearDeduplicationHistory'
  if (!forget && logic !== 'removeItemsWithAlreadySeenKeyValues')
    throw new NotExact('comparing with the highest value or latest date of earlier runs has no equivalent')
  const field = /^=\{\{ ?\$json\.([\w.]+) ?\}\}$/.exec(String(dedupeValue ?? ''))?.[1]
  if (!forget && field === undefined) throw new NotExact('a value that is not a field of the item has no equivalent')
  const params = {
    action: forget ? 'forget' : 'skip',
    fields: field === undefined ? [] : [field],
    scope,
    remembered: historySize,
  }
  return { ...list('skip_seen', params), outputs: ['true', 'false'] }
}

/** Names as a text, or as a list of older versions. */
const fieldNames = (value: unknown): unknown =>
  isRecord(value) ? listOf(value).map(({ fieldName }) => fieldName) : namesIn(value)

/** The node that had all of them, by its operation. */
function itemLists(node: Translating): Translated {
  const { operation = 'splitOutItems' } = node.parameters
  const name =
    ownValue(
      { splitOutItems: 'splitOut', aggregateItems: 'aggregate', concatenateItems: 'aggregate' },
      String(operation),
    ) ?? String(operation)
  const translation = ownValue(listNodes, name)
  if (!translation) throw new NotExact(`the operation ${name} has no equivalent`)
  const { version } = node
  const result = translation({ ...node, version: name === 'summarize' ? 1 : version })
  const { type, params } = result
  const mayBeRequired = ['split_out', 'aggregate', 'summarize'].includes(type)
  return mayBeRequired ? { ...result, params: { ...params, required: version < 2.1 } } : result
}

/** A field with the value of an expression. */
const field = (name: unknown, code: string, { keep = true, isPath = true } = {}): Translated =>
  each('set', {
    values: isExpression(name)
      ? scriptExpression(`({ [${call(codeOf(name))}]: ${code} })`)
      : { [String(name)]: scriptExpression(code) },
    keep_input: keep,
    ...(isPath ? {} : { paths: false }),
  })

const json = (value: unknown): string => JSON.stringify(value)
const codeIn = (value: unknown): string => call(codeOf(value))

function dateTime(node: Translating): Translated {
  const { parameters, version } = node
  if (version < 2) return olderDate(node)
  const { operation = 'getCurrentDate', date, magnitude, duration = 0, timeUnit = 'days' } = parameters
  const { timezone, fromFormat, includeInputFields, isoString } = optionsOf(node)
  const to = (usual: string, code: string) =>
    field(parameters.outputFieldName ?? usual, code, { keep: includeInputFields === true, isPath: false })
  const moved = (method: string) =>
    to('newDate', `$date(${codeIn(magnitude)}).${method}({ [${codeIn(timeUnit)}]: ${codeIn(duration)} }).toString()`)
  switch (operation) {
    case 'getCurrentDate': {
      const now = timezone ? `DateTime.now().setZone(${codeIn(timezone)})` : 'DateTime.now()'
      return to('currentDate', `${now}${parameters.includeTime === false ? '.startOf("day")' : ''}.toString()`)
    }
    case 'addToDate':
      return moved('plus')
    case 'subtractFromDate':
      return moved('minus')
    case 'formatDate': {
      const { format = 'MM/dd/yyyy', customFormat = '' } = parameters
      const options = [
        timezone === true ? '' : `zone: ${dateZone(date)}`,
        fromFormat ? `format: ${codeIn(fromFormat)}` : '',
      ]
      const shown = `$date(value, { ${options.filter(Boolean).join(', ')} }).toFormat(${codeIn(format === 'custom' ? customFormat : format)})`
      return to(
        'formattedDate',
        `((value) => (value === null || value === undefined ? value : ${shown}))(${codeIn(date)})`,
      )
    }
    case 'roundDate': {
      const { mode = 'roundDown', toNearest = 'month', to: end = 'month' } = parameters
      const rounded =
        mode === 'roundUp' ? `.plus({ [${codeIn(end)}]: 1 }).startOf(${codeIn(end)})` : `.startOf(${codeIn(toNearest)})`
      return to('roundedDate', `$date(${codeIn(date)})${rounded}.toString()`)
    }
    case 'getTimeBetweenDates': {
      const { startDate, endDate, units = ['day'] } = parameters
      const diff = `$date(${codeIn(endDate)}).diff($date(${codeIn(startDate)}), ${codeIn(units)})`
      return to('timeDifference', `${diff}${isoString === true ? '.toString()' : '.toObject()'}`)
    }
    case 'extractDate': {
      const part = parameters.part === 'week' ? 'weekNumber' : (parameters.part ?? 'month')
      return to('datePart', `$date(${codeIn(date)})[${codeIn(part)}]`)
    }
    default:
      throw new NotExact(`the operation ${operation} has no equivalent`)
  }
}

/** Dates with an offset keep it where the workflow's zone is not used. */
const dateZone = (_: unknown): string =>
  `/[+]\\d\\d/.test(value) ? "Etc/GMT-" + Number(String(value).split("+")[1].slice(0, 2)) : "Etc/UTC"`

/** Tokens of moment as those of luxon. */
const momentTokens: Readonly<Record<string, string>> = {
  ...{ YYYY: 'yyyy', YY: 'yy', DDDD: 'ooo', DDD: 'o', DD: 'dd', D: 'd', dddd: 'cccc', ddd: 'ccc', E: 'c' },
  ...{ A: 'a', Z: 'ZZ', ZZ: 'ZZZ', X: 'X', x: 'x', WW: 'WW', W: 'W', SSS: 'SSS', GGGG: 'kkkk' },
}

const luxonFormat = (format: string): string =>
  format.replace(/\[([^[\]]*)\]|([A-Za-z])\2*/g, (token, literal?: string) =>
    literal === undefined ? (momentTokens[token] ?? token) : `'${literal}'`,
  )

function olderDate(node: Translating): Translated {
  const { action = 'format', value, dataPropertyName = 'data', toFormat, operation, duration = 0 } = node.parameters
  const { fromFormat, fromTimezone, toTimezone } = optionsOf(node)
  for (const format of [fromFormat, toFormat])
    if (isExpression(format)) throw new NotExact('a format from an expression has no equivalent')
  const zones = [
    fromTimezone ? `zone: ${codeIn(fromTimezone)}` : '',
    fromFormat ? `format: ${json(luxonFormat(String(fromFormat)))}, numbers: true` : '',
  ]
  if (action === 'calculate' && !fromTimezone) zones.push('zone: "utc"')
  const date = `$date(${codeIn(value)}, { ${zones.filter(Boolean).join(', ')} })`
  if (action === 'calculate') {
    const { timeUnit = 'days' } = node.parameters
    const method = operation === 'subtract' ? 'minus' : 'plus'
    return field(
      dataPropertyName,
      `${date}.${method}({ [${codeIn(timeUnit)}]: ${codeIn(duration)} }).toJSDate().toISOString()`,
    )
  }
  const zone = toTimezone ? `.setZone(${codeIn(toTimezone)})` : fromTimezone ? '.setZone(DateTime.now().zone)' : ''
  const format = luxonFormat(String(toFormat ?? 'MM/DD/YYYY'))
  return field(dataPropertyName, `${date}${zone}.toFormat(${json(format)})`)
}

function crypto({ parameters }: Translating): Translated {
  const { action = 'hash', type = 'MD5', value = '', dataPropertyName = 'data', encoding = 'hex' } = parameters
  if (parameters.binaryData === true) throw new NotExact('files have no equivalent')
  if (action === 'generate') {
    const { encodingType = 'uuid', stringLength = 32 } = parameters
    return field(dataPropertyName, `$random(${json(encodingType)}, ${codeIn(stringLength)})`)
  }
  if (action === 'hash') return field(dataPropertyName, `$hash(${codeIn(value)}, ${json(type)}, ${json(encoding)})`)
  if (action === 'sign') {
    const { algorithm = '', privateKey = '' } = parameters
    const own = `{ algorithm: ${codeIn(algorithm)}, key: ${codeIn(privateKey)}, encoding: ${json(encoding)} }`
    return field(dataPropertyName, `$sign(${codeIn(value)}, ${own})`)
  }
  if (action !== 'hmac') throw new NotExact(`the action ${action} has no equivalent`)
  const options = `{ algorithm: ${json(type)}, secret: ${codeIn(parameters.secret ?? '')}, encoding: ${json(encoding)} }`
  return field(dataPropertyName, `$hmac(${codeIn(value)}, ${options})`)
}

function xml(node: Translating): Translated {
  const { mode = 'xmlToJson', dataPropertyName = 'data' } = node.parameters
  const { headless, rootName, ...others } = optionsOf(node)
  for (const name of Object.keys(others)) throw new NotExact(`the option ${name} has no equivalent`)
  if (mode === 'jsonToxml') {
    const options = { ...(headless === true ? { headless } : {}), ...(rootName ? { root: rootName } : {}) }
    return field(dataPropertyName, `$xml((xml) => xml.build($json, ${json(options)}))`, {
      keep: false,
      isPath: false,
    })
  }
  const values = scriptExpression(`$xml((xml) => xml.parse($json[${codeIn(dataPropertyName)}]))`)
  return each('set', { values, keep_input: false, paths: false })
}

function compareDatasets(node: Translating): Translated {
  const { parameters, version } = node
  const options = optionsOf(node)
  const isLoose = (version >= 2 ? parameters.fuzzyCompare : options.fuzzyCompare) === true
  const resolve = String(parameters.resolve ?? (version < 2 ? 'preferInput2' : 'includeBoth'))
  const prefer = ownValue({ preferInput1: 'first', preferInput2: 'second', mix: 'mix' }, resolve) ?? 'both'
  return {
    type: 'compare',
    params: {
      fields: listOf(parameters.mergeByFields).map(({ field1, field2 }) => ({
        first: translated(field1 ?? ''),
        second: translated(field2 ?? ''),
      })),
      prefer,
      mix_from: parameters.preferWhenMix === 'input2' ? 'second' : 'first',
      mix_except: namesIn(parameters.exceptWhenMix),
      skip: namesIn(options.skipFields),
      loose: isLoose,
      multiple: options.multipleMatches === 'all',
      version: version >= 2.1 ? 2.1 : version >= 2 ? 2 : 1,
      ...dots(node),
    },
    outputs: ['case:0', 'case:1', 'case:2', 'case:3'],
  }
}

/** The nodes that change data, as types here. */
export const dataNodes: Readonly<Record<string, Translate>> = {
  ...listNodes,
  ...{ itemLists, dateTime, crypto, compareDatasets },
  xml,
  executionData: (node) => {
    node.report('dataToSave', 'is not saved with the execution', node.parameters)
    return { type: 'set', params: {} }
  },
  renameKeys({ parameters: { keys, additionalOptions } }) {
    const { regexReplacement } = (additionalOptions ?? {}) as Fields
    return each('rename', {
      fields: listOf(keys).map(({ currentKey, newKey }) => ({
        from: translated(currentKey ?? ''),
        to: translated(newKey ?? ''),
      })),
      patterns: listOf(regexReplacement).map(({ searchRegex, replaceRegex, options }) => {
        const { depth = -1, caseInsensitive } = (options ?? {}) as Fields
        return {
          search: translated(searchRegex ?? ''),
          replace: translated(replaceRegex ?? ''),
          ignore_case: caseInsensitive === true,
          depth,
        }
      }),
    })
  },
}
