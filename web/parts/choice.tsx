import { Group, Radio, SimpleGrid, Text } from '@mantine/core'
import { Hint } from './typography.tsx'

interface ChoiceProps {
  label: string
  description?: string | undefined
  error?: string | undefined
  choices: Record<string, { label: string; description: string }>
  /** From `getInputProps` of a form. */
  input: object
}

/** One of a few values, each explained on a card. */
export const Choice = ({ label, description, error, choices, input }: ChoiceProps) => (
  <Radio.Group label={label} description={description} error={error} {...input}>
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt={4}>
      {Object.entries(choices).map(([value, choice]) => (
        <Radio.Card
          key={value}
          value={value}
          p="xs"
          radius="md"
          aria-label={choice.label}
          style={{ display: 'flex', alignItems: 'flex-start' }}
        >
          <Group wrap="nowrap" align="flex-start" gap="xs">
            <Radio.Indicator mt={2} size="xs" />
            <div>
              <Text fw={500} size="sm">
                {choice.label}
              </Text>
              <Hint>{choice.description}</Hint>
            </div>
          </Group>
        </Radio.Card>
      ))}
    </SimpleGrid>
  </Radio.Group>
)
