import { PageHeader } from '../../parts/page-header.tsx'

export function Agents() {
  return (
    <div className="page">
      <PageHeader title="Agents" />
    </div>
  )
}
