import { Alert, Fieldset, Group, Stack, Tabs, Text, TextInput } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { ExecutionDetails, Issue, NodeTypeInfo, WorkflowNode } from '../../../runtime/workflows/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { IconButton, SmallButton } from '../../parts/buttons.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { changesTo } from '../../parts/form.tsx'
import { NumberInput } from '../../parts/inputs/number-input.tsx'
import { Loaded } from '../../parts/list.tsx'
import { JsonField } from '../../parts/schema/fields.tsx'
import type { Schema } from '../../parts/schema/schema.ts'
import { SchemaForm } from '../../parts/schema/schema-form.tsx'
import { useBodySchemas } from '../../parts/schema/use-body-schema.ts'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { type Path, pathText } from './completions.ts'
import { sourcesOf } from './data-panel.tsx'
import { pathsOf } from './data-view.tsx'
import { isTrigger, withBefore, withChangedNode } from './editor-state.ts'
import { iconOf, type Kinds } from './kinds.ts'
import { issueText } from './labels.ts'
import { ParameterForm } from './parameter-form.tsx'
import { ExpressionScope, type Targets } from './scope.tsx'
import type { DraftState } from './use-draft.ts'
import { useOutputs, useReadable } from './use-outputs.ts'
import classes from './workflows.module.css'

interface InspectorProps {
  workflow: string
  node: WorkflowNode
  kinds: Kinds
  state: DraftState
  /** The execution whose data expressions are evaluated over. */
  execution: ExecutionDetails | null
  issues: readonly Issue[]
  targets: Targets
  close(): void
}

/** One node: its parameters and its options. */
export function Inspector({ workflow, node, kinds, state, execution, issues, targets, close }: InspectorProps) {
  const { draft, edit } = state
  const kind = kinds.get(node.type)
  const change = (part: Partial<WorkflowNode>) =>
    edit((draft) => withChangedNode(draft, node.id, part), `${node.id} ${Object.keys(part).join(' ')}`)
  const panel = useFocus()
  const drawn = { draft, kinds, execution }
  const [input] = useOutputs(drawn, sourcesOf(draft, node.id).slice(0, 1))
  const readable = useReadable(drawn, node.id, input?.value)
  const [item, setItem] = useState(0)
  const items = itemCount(node, kind, input?.value)
  const leave = () => {
    close()
    document.querySelector<HTMLElement>(`.react-flow__node[data-id="${node.id}"]`)?.focus()
  }
  const Icon = iconOf(node.type)
  const parameters = <Parameters node={node} kinds={kinds} issues={issues} change={change} />
  return (
    <aside
      ref={panel}
      className={classes.inspector}
      aria-label={node.name}
      onKeyDown={(event) => event.key === 'Escape' && leave()}
    >
      <Group wrap="nowrap" gap="xs" mb="xs">
        <Icon size={20} stroke={1.7} />
        <Text fw={600} className="grow truncate" component="h2">
          {kind?.title ?? node.type}
        </Text>
        <IconButton label="Close node" icon={IconX} onClick={leave} />
      </Group>
      {kind?.description && <Hint mb="xs">{kind.description}</Hint>}
      {kind?.available === false && (
        <Alert color="yellow" mb="sm" title="Not available here">
          {kind.reason}
        </Alert>
      )}
      {hasAddress(node) && !state.readonly && <WebhookAddress workflow={workflow} node={node.id} />}
      <Issues workflow={workflow} issues={issues} readonly={state.readonly} />
      <Tabs defaultValue="parameters" keepMounted={false}>
        {node.type !== 'note' && (
          <Tabs.List mb="sm">
            <Tabs.Tab value="parameters">Parameters</Tabs.Tab>
            <Tabs.Tab value="options">Options</Tabs.Tab>
          </Tabs.List>
        )}
        <Tabs.Panel value="parameters">
          <Fieldset variant="unstyled" disabled={state.readonly}>
            {isTrigger(node.type) || node.type === 'note' ? (
              parameters
            ) : (
              <ExpressionScope
                workflow={workflow}
                draft={() => draft}
                pin_data={draft.pin_data}
                edges={draft.edges}
                node={node.id}
                execution={execution?.id ?? null}
                item={Math.min(item, items - 1)}
                readable={readable}
                targets={targets}
              >
                {items > 1 && <ItemChoice count={items} item={item} choose={setItem} />}
                {kind?.side_effects && <ListHint node={node} kinds={kinds} input={input?.value} edit={edit} />}
                {parameters}
              </ExpressionScope>
            )}
          </Fieldset>
        </Tabs.Panel>
        <Tabs.Panel value="options">
          <Fieldset variant="unstyled" disabled={state.readonly}>
            <Options node={node} kind={kind} change={change} />
          </Fieldset>
        </Tabs.Panel>
      </Tabs>
    </aside>
  )
}

interface ListHintProps extends Pick<InspectorProps, 'node' | 'kinds'>, Pick<DraftState, 'edit'> {
  input: unknown
}

/** A list within the input is not what a node runs for; one more node makes its members items. */
function ListHint({ node, kinds, input, edit }: ListHintProps) {
  const kind = kinds.get('split_out')
  const path = Array.isArray(input) ? undefined : pathsOf(input).find((one) => Array.isArray(valueAt(input, one)))
  const [first] = path ? (valueAt(input, path) as unknown[]) : []
  if (!kind || !path || first === undefined || kinds.get(node.type)?.usual_input !== 'item') return null
  const name = pathText(path)
  const into = typeof first === 'object' ? [] : [String(path.at(-1))]
  const made = { type: kind.type, name: kind.title, params: { fields: [name], into } }
  return (
    <Group gap="xs" mb="sm" wrap="nowrap" justify="space-between">
      <Hint>
        This node runs once. The field <span className="mono">{name}</span> is a list.
      </Hint>
      <SmallButton flex="none" onClick={() => edit((draft) => withBefore(draft, node, made))}>
        Run for each
      </SmallButton>
    </Group>
  )
}

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce((own, step) => (own as Record<string | number, unknown> | null | undefined)?.[step], value)

/** Whose values the previews of expressions show. */
const ItemChoice = ({ count, item, choose }: { count: number; item: number; choose(item: number): void }) => (
  <NumberInput
    size="xs"
    mb="sm"
    w="12rem"
    label={`Preview item (1 to ${count})`}
    min={1}
    max={Math.min(count, maxPreviewed)}
    value={item + 1}
    onChange={(value) => choose(Math.max(0, Math.min(Number(value), count, maxPreviewed) - 1))}
  />
)

/** Items of which the daemon evaluates expressions for a preview. */
const maxPreviewed = 1_000

/** The items for which a node runs, one by one. */
function itemCount(node: WorkflowNode, kind: NodeTypeInfo | undefined, input: unknown): number {
  const mode = node.input_mode === 'auto' ? kind?.usual_input : node.input_mode
  return mode === 'item' && Array.isArray(input) ? input.length : 1
}

const hasAddress = ({ type }: Pick<WorkflowNode, 'type'>) => type === 'trigger.webhook' || type === 'trigger.form'

/** The address that starts the workflow; whoever knows it can do so. */
function WebhookAddress({ workflow, node }: { workflow: string; node: string }) {
  const query = useEndpoint('/api/workflows/{id}/triggers', { params: { id: workflow } })
  const trigger = query.data?.triggers.find(({ node_id, enabled }) => enabled && node_id === node)
  if (!trigger?.path) return <Hint mb="sm">Its address is shown here while the workflow is active.</Hint>
  const address = trigger.url ?? new URL(trigger.path, location.origin).href
  return (
    <Group gap={4} wrap="nowrap" mb="sm">
      <Text size="xs" className="mono grow">
        {address}
      </Text>
      <CopyButton value={address} what="address" />
    </Group>
  )
}

/** The first field gets the focus when the panel opens with the keyboard. */
function useFocus() {
  const panel = useRef<HTMLElement>(null)
  useEffect(() => {
    const byKeyboard = document.activeElement?.matches(':focus-visible')
    if (byKeyboard) panel.current?.querySelector<HTMLElement>('input, textarea, select')?.focus()
  }, [])
  return panel
}

interface IssuesProps {
  workflow: string
  issues: readonly Issue[]
  readonly: boolean
}

/** Problems that no field shows. Notes of an import can be marked as done. */
function Issues({ workflow, issues, readonly }: IssuesProps) {
  const settle = useChange((api, { path, message }: Issue) =>
    api.post('/api/workflows/{id}/settle-note', { params: { id: workflow }, body: { path, message } }),
  )
  const general = issues.filter(({ path }) => !path.includes('.params.'))
  if (general.length === 0) return null
  return (
    <Alert color="yellow" mb="sm" p="xs">
      {general.map((issue) => (
        <Group key={issue.path + issue.message} gap="xs" wrap="nowrap" justify="space-between" align="flex-start">
          <Text size="sm" className="words">
            {issueText(issue.message)}
          </Text>
          {issue.path.includes('.import.') && !readonly && (
            <SmallButton disabled={settle.isPending} onClick={() => settle.mutate(issue)}>
              Done
            </SmallButton>
          )}
        </Group>
      ))}
    </Alert>
  )
}

interface ParametersProps extends Pick<InspectorProps, 'node' | 'kinds' | 'issues'> {
  change(part: Partial<WorkflowNode>): void
}

function Parameters({ node, kinds, issues, change }: ParametersProps) {
  const schema = kinds.get(node.type)?.params as Schema | undefined
  const errors = useMemo(() => {
    const prefix = `nodes.${node.id}.params.`
    const own = issues.filter(({ path }) => path.startsWith(prefix))
    return Object.fromEntries(own.map(({ path, message }) => [path.slice(prefix.length), issueText(message)]))
  }, [issues, node.id])
  return (
    <Stack>
      <TextInput
        label="Name"
        value={node.name}
        maxLength={200}
        error={node.name.trim() === '' ? 'A node needs a name' : undefined}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      {schema?.properties ? (
        <ParameterForm
          schema={schema}
          value={node.params}
          change={(params) => change({ params: params as WorkflowNode['params'] })}
          errors={errors}
        />
      ) : (
        <JsonField
          label="Parameters"
          value={node.params}
          change={(params) => change({ params: (params ?? {}) as WorkflowNode['params'] })}
        />
      )}
    </Stack>
  )
}

interface OptionsProps extends Pick<ParametersProps, 'node' | 'change'> {
  kind: NodeTypeInfo | undefined
}

/** The options that nodes of all types have, as far as they matter for this one. */
function Options({ node, kind, change }: OptionsProps) {
  const { query, create } = useBodySchemas('/api/workflows')
  const schema = create?.properties?.nodes?.items ?? {}
  const canFail = kind?.outputs.some(({ name }) => name === 'error') ?? false
  const runsForItems = node.input_mode !== 'list' && !isTrigger(node.type)
  const disabledText = isTrigger(node.type) ? 'The trigger starts nothing' : 'The node passes its input on'
  return (
    <Loaded query={query} what="The form">
      {() => (
        <SchemaForm
          schema={schema}
          value={node}
          change={(next) => change(changesTo(next as WorkflowNode, node))}
          errors={{}}
          fields={{
            ...{ id: false, type: false, name: false, position: false, params: false },
            ...{ on_error: canFail, timeout_seconds: canFail, retry: canFail },
            retry_safe: kind?.side_effects ?? false,
            input_mode: !isTrigger(node.type) && !(kind?.several_inputs ?? false) && node.type !== 'loop',
            concurrency: runsForItems,
            pause_seconds: runsForItems,
            ...{ list_input: node.list_input !== undefined, first_item: node.first_item !== undefined },
            always_output: node.always_output !== undefined,
            disabled: { description: disabledText },
          }}
          layout={[
            ...['input_mode', 'concurrency', 'pause_seconds', 'list_input', 'first_item', 'always_output'],
            ...['on_error', 'timeout_seconds', 'retry', 'retry_safe', 'disabled', 'notes'],
          ]}
        />
      )}
    </Loaded>
  )
}
