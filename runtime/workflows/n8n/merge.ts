import { ownValue } from '../../own-value.ts'
import { NotExact } from './equivalent.ts'
import { commaSeparated, listOf, translated } from './texts.ts'
import type { Fields, Translated, Translating } from './translating.ts'

const joins: Readonly<Record<string, string>> = {
  keepMatches: 'matches',
  keepNonMatches: 'rest',
  keepEverything: 'everything',
  enrichInput1: 'first',
  enrichInput2: 'second',
}

/** A node that joins its inputs. Up to version 1, its modes had other names. */
export function mergeNode(node: Translating): Translated {
  const { parameters, version } = node
  const { mode = 'append', options = {} } = parameters
  const own = (options ?? {}) as Fields
  const combine =
    parameters.combineBy ?? parameters.combinationMode ?? (version >= 3 ? 'combineByFields' : 'mergeByFields')
  const kind = mode === 'combine' ? String(combine) : version < 2 ? `v1 ${mode}` : String(mode)
  if (kind === 'append' || kind === 'v1 append') return { type: 'merge', params: { mode: 'append' } }
  if (kind === 'chooseBranch' || kind === 'v1 passThrough' || kind === 'v1 wait') return chosen(parameters, kind)
  const clash = clashOf(own, parameters.joinMode)
  if (['mergeByPosition', 'combineByPosition'].includes(kind))
    return { type: 'merge', params: { mode: 'position', unpaired: own.includeUnpaired === true, ...clash } }
  if (['multiplex', 'combineAll'].includes(kind)) return { type: 'merge', params: { mode: 'combinations', ...clash } }
  if (['mergeByFields', 'combineByFields'].includes(kind)) return byFields(node, own, clash)
  if (kind === 'v1 mergeByIndex')
    return {
      type: 'merge',
      params: { mode: 'position', unpaired: parameters.join === 'outer' },
    }
  if (kind === 'v1 multiplex') return { type: 'merge', params: { mode: 'combinations' } }
  if (kind === 'v1 mergeByKey' || kind === 'v1 removeKeyMatches' || kind === 'v1 keepKeyMatches') {
    const { propertyName1 = '', propertyName2 = '' } = parameters
    const join = kind === 'v1 mergeByKey' ? 'first' : kind === 'v1 keepKeyMatches' ? 'matches' : 'rest'
    return {
      type: 'merge',
      params: {
        mode: 'fields',
        fields: [{ first: translated(propertyName1), second: translated(propertyName2) }],
        join,
        multiple: false,
        output: join === 'first' ? 'both' : 'first',
      },
    }
  }
  throw new NotExact(`the mode ${kind} has no equivalent`)
}

function chosen({ chooseBranchMode, output, useDataOfInput }: Fields, kind: string): Translated {
  if (chooseBranchMode !== undefined && chooseBranchMode !== 'waitForAll')
    throw new NotExact(`the mode ${chooseBranchMode} has no equivalent`)
  if (output === 'empty' || kind === 'v1 wait') return { type: 'merge', params: { mode: 'input', input: -1 } }
  const input = useDataOfInput === undefined ? String(output ?? 'input1') : String(useDataOfInput)
  return { type: 'merge', params: { mode: 'input', input: Number(input.replace('input', '')) - 1 } }
}

/** What happens to fields that both items have. */
function clashOf({ clashHandling }: Fields, joinMode: unknown): Fields {
  const own = (clashHandling as { values?: Fields } | undefined)?.values ?? {}
  const resolve = own.resolveClash ?? (joinMode === 'enrichInput2' ? 'preferInput1' : 'preferInput2')
  if (resolve === 'addSuffix') return { clash: 'suffix' }
  return {
    clash: resolve === 'preferInput1' ? 'first' : 'second',
    deep: own.mergeMode !== 'shallowMerge',
    keep_filled: own.overrideEmpty === true,
  }
}

function byFields({ parameters, version }: Translating, options: Fields, clash: Fields): Translated {
  const { joinMode = 'keepMatches', outputDataFrom = 'both', advanced } = parameters
  const same = commaSeparated(parameters.fieldsToMatchString).map((field) => ({ first: field, second: field }))
  const pairs =
    version >= 3 && advanced !== true
      ? same
      : listOf(parameters.mergeByFields).map(({ field1, field2 }) => ({
          first: translated(field1),
          second: translated(field2),
        }))
  const join = ownValue(joins, String(joinMode))
  if (pairs.length === 0 || !join) throw new NotExact('the fields to match are not known')
  return {
    type: 'merge',
    params: {
      mode: 'fields',
      fields: pairs,
      join,
      output: outputDataFrom === 'input1' ? 'first' : outputDataFrom === 'input2' ? 'second' : 'both',
      required: version < 2.1,
      multiple: options.multipleMatches !== 'first',
      loose: options.fuzzyCompare === true,
      paths: options.disableDotNotation !== true,
      ...clash,
    },
  }
}
