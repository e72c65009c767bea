import { Text, UnstyledButton } from '@mantine/core'
import { type KeyboardEvent, memo, useRef, useState } from 'react'
import type { NodeTypeInfo } from '../../../runtime/workflows/schema.ts'
import { SearchField } from '../../parts/search-field.tsx'
import { dragType } from './canvas.tsx'
import { categories, iconOf } from './kinds.ts'
import { searchNodes } from './search-nodes.ts'
import classes from './workflows.module.css'

interface PaletteProps {
  kinds: readonly NodeTypeInfo[]
  add(kind: NodeTypeInfo): void
}

/** The types of nodes. A click, Enter or a drop on the canvas adds one. */
export const Palette = memo(function Palette({ kinds, add }: PaletteProps) {
  const [text, setText] = useState('')
  const list = useRef<HTMLElement>(null)
  const needle = text.trim()
  const matches = searchNodes(kinds, needle)
  const groups = needle === '' ? groupsOf(kinds) : [{ name: 'Matches', kinds: matches }]
  const choose = (kind: NodeTypeInfo) => {
    add(kind)
    setText('')
  }
  const keys = (event: KeyboardEvent) => {
    const first = groups[0]?.kinds[0]
    if (event.key === 'Enter' && first && needle !== '') {
      event.preventDefault()
      choose(first)
    }
    if (event.key === 'ArrowDown') {
      event.preventDefault()
      list.current?.querySelector('button')?.focus()
    }
  }
  return (
    <aside className={classes.palette} aria-label="Nodes">
      <SearchField what="Add a node" data-search value={text} change={setText} onKeyDown={keys} size="sm" />
      <nav ref={list} aria-label="Node types" className={classes.types}>
        {groups.map(({ name, kinds: members }) => (
          <section key={name} aria-label={name}>
            {needle === '' && (
              <Text size="xs" fw={600} c="dimmed" mt="sm" mb={4} px={6}>
                {name}
              </Text>
            )}
            {members.map((kind) => (
              <Entry key={kind.type} kind={kind} add={() => choose(kind)} />
            ))}
          </section>
        ))}
        {matches.length === 0 && (
          <Text size="sm" c="dimmed" p="sm">
            No matching nodes
          </Text>
        )}
      </nav>
    </aside>
  )
})

function Entry({ kind, add }: { kind: NodeTypeInfo; add: () => void }) {
  const Icon = iconOf(kind.type)
  return (
    <UnstyledButton
      className={classes.type}
      title={kind.reason ?? kind.description}
      disabled={!kind.available}
      draggable
      onDragStart={(event) => event.dataTransfer.setData(dragType, kind.type)}
      onClick={add}
      onKeyDown={moveFocus}
    >
      <Icon size={17} stroke={1.7} />
      <span className="truncate">{kind.title}</span>
    </UnstyledButton>
  )
}

/** Arrows go from one entry to the next. */
function moveFocus(event: KeyboardEvent<HTMLElement>) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (!step) return
  event.preventDefault()
  const entries = [...(event.currentTarget.closest('nav')?.querySelectorAll('button') ?? [])]
  entries[entries.indexOf(event.currentTarget as HTMLButtonElement) + step]?.focus()
}

const groupsOf = (kinds: readonly NodeTypeInfo[]) =>
  Object.entries(categories)
    .map(([category, name]) => ({ name, kinds: kinds.filter((kind) => kind.category === category) }))
    .filter((group) => group.kinds.length > 0)
