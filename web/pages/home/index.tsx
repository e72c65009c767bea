import { PageHeader } from '../../parts/page-header.tsx'

export function Home() {
  return (
    <div className="page">
      <PageHeader title="Home" />
    </div>
  )
}
