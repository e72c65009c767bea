import { Component, type ReactNode } from 'react'
import { ErrorState } from '../parts/states.tsx'

interface Props {
  children: ReactNode
}

/** Keeps the navigation alive when a page fails. A page whose code has gone after an upgrade is loaded afresh. */
export class ErrorBoundary extends Component<Props, { error: unknown }> {
  override state: { error: unknown } = { error: null }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    if (this.state.error === null) return this.props.children
    return <ErrorState what="This page" error={this.state.error} retry={() => location.reload()} />
  }
}
