import { SegmentedControl, TextInput, Tooltip } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import type { SearchMode } from '../../../api/memory.ts'
import { modeHints, modeLabels } from '../labels.ts'
import classes from '../memory.module.css'
import { Filters } from './filters.tsx'
import { Found } from './found.tsx'
import { Newest } from './newest.tsx'
import { useSearch } from './use-search.ts'

const modes = Object.keys(modeLabels) as SearchMode[]

/** Without a text the newest, with one the best matches. */
export function Search() {
  const { asked, text, type, change } = useSearch()
  const { q, mode, cluster_id, ...filters } = asked
  return (
    <>
      <search className={classes.bar}>
        <TextInput
          type="search"
          data-search
          className="grow"
          miw={220}
          aria-label="Search the memory"
          placeholder="Search the memory"
          leftSection={<IconSearch size={16} />}
          value={text}
          onChange={(event) => type(event.currentTarget.value)}
        />
        <Tooltip label={modeHints[mode]}>
          <SegmentedControl
            aria-label="Search by"
            data={modes.map((value) => ({ value, label: modeLabels[value] }))}
            value={mode}
            onChange={(next) => change({ mode: next })}
          />
        </Tooltip>
        <Filters asked={asked} change={change} />
      </search>
      {q ? (
        <Found asked={{ q, mode, ...filters }} />
      ) : (
        <Newest filters={{ ...filters, cluster_id }} change={change} />
      )}
    </>
  )
}
