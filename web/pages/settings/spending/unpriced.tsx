import { Button, Group, NumberInput, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Usage } from '../../../api/monitoring.ts'
import { useApi } from '../../../app/services.tsx'
import { announce, announceError } from '../../../parts/announce.ts'
import { whole } from '../../../parts/numbers.ts'

/** Models that nobody knows a price of: the cost is too low by what they would have cost. */
export function Unpriced({ usage: { unpriced } }: { usage: Usage }) {
  if (unpriced.length === 0) return null
  return (
    <Stack gap="xs" component="section" aria-label="Price unknown">
      <Text size="sm" c="dimmed">
        Price unknown, so not in the cost. US dollars per million tokens; later calls count with what you set
        here.
      </Text>
      {unpriced.map((one) => (
        <PriceForm key={`${one.provider}/${one.model}`} {...one} />
      ))}
    </Stack>
  )
}

function PriceForm({ provider, model, tokens }: Usage['unpriced'][number]) {
  const api = useApi()
  const queries = useQueryClient()
  const [read, setRead] = useState<number | string>('')
  const [written, setWritten] = useState<number | string>('')
  const complete = typeof read === 'number' && typeof written === 'number'
  const save = useMutation({
    mutationFn: () =>
      api.put('/api/providers/{id}/prices', {
        params: { id: provider },
        body: {
          prices: { [model]: { input_usd_per_mtok: Number(read), output_usd_per_mtok: Number(written) } },
        },
      }),
    onSuccess: () => announce(`The price of ${model} is set`),
    onError: announceError,
    onSettled: () => queries.invalidateQueries(),
  })
  const field = { size: 'xs', w: 110, min: 0, max: 1_000_000, decimalScale: 4, hideControls: true } as const
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (complete) save.mutate()
      }}
    >
      <Group gap="xs" align="flex-end">
        <Text size="sm" className="grow">
          {provider}/{model} · {whole(tokens)} tokens
        </Text>
        <NumberInput
          {...field}
          label="Read"
          aria-label={`Read by ${model}`}
          value={read}
          onChange={setRead}
        />
        <NumberInput
          {...field}
          label="Written"
          aria-label={`Written by ${model}`}
          value={written}
          onChange={setWritten}
        />
        <Button type="submit" size="xs" variant="default" disabled={!complete} loading={save.isPending}>
          Set price
        </Button>
      </Group>
    </form>
  )
}
