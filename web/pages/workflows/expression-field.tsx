import { Group, Modal, Textarea } from '@mantine/core'
import { IconArrowsMaximize } from '@tabler/icons-react'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { IconButton } from '../../parts/buttons.tsx'
import { pretty } from '../../parts/json.ts'
import type { ExpressionProps } from '../../parts/schema/fields.tsx'
import { Hint, Scrolled } from '../../parts/typography.tsx'
import { type Completion, completionsAt, type Edited, inserted, languageOf, type Place } from './completions.ts'
import { dataType, FieldTree } from './data-view.tsx'
import { ExpressionScope, Targets, usePreview, useScope, useTarget } from './scope.tsx'
import classes from './workflows.module.css'

/** A text that may contain expressions: with what can follow at the caret, its value in the last run, and a larger editor. */
export function ExpressionField(props: ExpressionProps) {
  const [large, setLarge] = useState(false)
  const { label } = props
  return (
    <>
      <ExpressionInput {...props} enlarge={() => setLarge(true)} />
      <Modal opened={large} onClose={() => setLarge(false)} title={label} size="min(70rem, 95vw)">
        <LargeEditor {...props} />
      </Modal>
    </>
  )
}

function LargeEditor(props: ExpressionProps) {
  const scope = useScope()
  const [targets] = useState(() => new Targets())
  const input = { 'aria-label': props.label, autosize: true, minRows: 18, maxRows: 18, classNames: { input: 'mono' } }
  if (!scope) return null
  return (
    <ExpressionScope {...scope} targets={targets}>
      <Group align="stretch" wrap="nowrap">
        <div className={classes.tree}>
          <Hint mb={4}>Input</Hint>
          <FieldTree value={scope.readable.input} insert={targets.insert} />
        </div>
        <div className="grow">
          <ExpressionInput {...props} input={input} />
        </div>
      </Group>
    </ExpressionScope>
  )
}

interface InputProps extends ExpressionProps {
  /** Absent in the large editor. */
  enlarge?: () => void
}

function ExpressionInput({ label, input, value, change, isCode = false, isAny = false, enlarge }: InputProps) {
  const scope = useScope()
  const area = useRef<HTMLTextAreaElement>(null)
  const [options, setOptions] = useState<readonly Completion[]>([])
  const [at, setAt] = useState(0)
  const caret = useRef<number | null>(null)
  const list = useId()
  const language = languageOf(value, isCode && value.trim() !== '')

  // The caret goes where the text was inserted, once the new text is in the field.
  useEffect(() => {
    if (caret.current === null) return
    area.current?.focus()
    area.current?.setSelectionRange(caret.current, caret.current)
    caret.current = null
  })
  const apply = ({ text, caret: next }: Edited) => {
    caret.current = next
    setOptions([])
    change(text)
  }
  const insert = (place: Place) => {
    const { selectionStart = value.length, selectionEnd = value.length } = area.current ?? {}
    apply(inserted(value, [selectionStart, selectionEnd], place, { isCode, isAny }))
  }
  const focus = useTarget({ label, insert })
  const suggest = (text: string, position: number) => {
    setOptions(scope ? completionsAt(text, position, isCode, scope.readable) : [])
    setAt(0)
  }
  const choose = (option: Completion | undefined) => option && apply(option.edited)
  const keys = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === ' ' && event.ctrlKey) suggest(value, event.currentTarget.selectionStart)
    else if (options.length === 0) return
    else if (event.key === 'ArrowDown') setAt((at + 1) % options.length)
    else if (event.key === 'ArrowUp') setAt((at + options.length - 1) % options.length)
    else if (event.key === 'Enter' || event.key === 'Tab') choose(options[at])
    else if (event.key === 'Escape') setOptions([])
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className={classes.expression}>
      <Textarea
        {...input}
        ref={area}
        value={value}
        rightSection={
          enlarge && <IconButton label="Larger editor" icon={IconArrowsMaximize} size="sm" onClick={enlarge} />
        }
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={options.length > 0 ? list : undefined}
        aria-activedescendant={options.length > 0 ? `${list}-${at}` : undefined}
        onChange={({ currentTarget }) => {
          change(currentTarget.value)
          suggest(currentTarget.value, currentTarget.selectionStart)
        }}
        onKeyDown={keys}
        onFocus={focus}
        onBlur={() => setOptions([])}
        onDragOver={(event) => event.dataTransfer.types.includes(dataType) && event.preventDefault()}
        onDrop={(event) => {
          const dropped = event.dataTransfer.getData(dataType)
          if (dropped === '') return
          event.preventDefault()
          insert(JSON.parse(dropped) as Place)
        }}
      />
      {options.length > 0 && (
        <div role="listbox" id={list} aria-label={`Suggestions for ${label}`} className={classes.options}>
          {options.map((option, index) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the text
            // biome-ignore lint/a11y/useKeyWithClickEvents: keys are those of the text
            <div
              key={option.label}
              id={`${list}-${index}`}
              role="option"
              aria-selected={index === at}
              ref={index === at ? intoView : undefined}
              // The focus stays in the text.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(option)}
            >
              <span className="mono">{option.label}</span> <Hint className="truncate">{option.detail}</Hint>
            </div>
          ))}
        </div>
      )}
      {language && (
        <Value
          text={isCode && language === 'JSONata' && !value.startsWith('=') ? `=${value}` : value}
          language={language}
        />
      )}
    </div>
  )
}

const intoView = (option: HTMLElement | null) => option?.scrollIntoView({ block: 'nearest' })

/** Characters of a value that are shown. */
const shown = 600

/** The language of a text, and its value in the last run. */
function Value({ text, language }: { text: string; language: string }) {
  const preview = usePreview(text)
  return (
    <Group gap={6} wrap="nowrap" align="flex-start" mt={4}>
      <Hint pt={3}>{language}</Hint>
      <Scrolled
        className={`sunken verbatim ${classes.preview}`}
        px="xs"
        py={3}
        mah="12rem"
        fz="xs"
        data-problem={Boolean(preview?.error) || undefined}
        label="Value in the last run"
        role="status"
      >
        {preview ? (preview.error ?? (pretty(preview.value).slice(0, shown) || 'Empty')) : '…'}
      </Scrolled>
    </Group>
  )
}
