import { NativeSelect, Text } from '@mantine/core'
import { useState } from 'react'
import { FormModal } from '../../parts/form-modal.tsx'
import { connected, type Flow, type Link } from './editor-state.ts'
import type { Output } from './kinds.ts'

interface ConnectDialogProps {
  flow: Flow
  source: string
  outputs: readonly Output[]
  connect(link: Link): void
  close(): void
}

/** Connects a node without a pointer: from one of its outputs to another node. */
export function ConnectDialog({ flow, source, outputs, connect, close }: ConnectDialogProps) {
  const unused = outputs.find(({ name: output }) => !isUsed(flow, source, output))
  const [output, setOutput] = useState((unused ?? outputs[0])?.name ?? 'main')
  const [chosen, setChosen] = useState<string | null>(null)
  const name = flow.nodes.find(({ id }) => id === source)?.name ?? source
  const targets = flow.nodes.filter(({ id }) => connected(flow, { source, source_output: output, target: id }) !== flow)
  const target = targets.find(({ id }) => id === chosen)?.id ?? targets[0]?.id
  const submit = () => {
    if (target) connect({ source, source_output: output, target })
    close()
  }
  return (
    <FormModal
      title={`Connect ${name}`}
      verb="Connect"
      submit={submit}
      close={close}
      disabled={!target}
      // In a select, Enter alone does not submit.
      onKeyDown={(event) => event.key === 'Enter' && event.target instanceof HTMLSelectElement && submit()}
    >
      {outputs.length > 1 && (
        <NativeSelect
          data-autofocus
          label="Output"
          data={outputs.map(({ name: value, label }) => ({ value, label: label || 'Next' }))}
          value={output}
          onChange={(event) => setOutput(event.currentTarget.value)}
        />
      )}
      {targets.length > 0 ? (
        <NativeSelect
          {...(outputs.length < 2 && { 'data-autofocus': true })}
          label="To"
          data={targets.map((node) => ({ value: node.id, label: node.name }))}
          value={target ?? ''}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
      ) : (
        <Text size="sm">There is no other node to connect to.</Text>
      )}
    </FormModal>
  )
}

const isUsed = ({ edges }: Flow, source: string, output: string): boolean =>
  edges.some((edge) => edge.source === source && edge.source_output === output)
