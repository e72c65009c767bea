import { SectionForm } from './section/index.tsx'

export const AgentSettings = () => <SectionForm name="agent" title="How agents answer" />
export const InterfaceSettings = () => <SectionForm name="interface" title="The interface" />
export const StrategySettings = () => <SectionForm name="strategy" title="How larger work is done" />
export const ProactiveSettings = () => (
  <SectionForm name="proactive" title="What agents may begin by themselves" />
)
export const MemorySettings = () => <SectionForm name="memory" title="What is remembered" />
