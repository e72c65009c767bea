import { Component, type ReactNode } from 'react'
import { ErrorState } from './list.tsx'

interface ErrorBoundaryProps {
  children: ReactNode
  /** Shown if `children` fail; default is the error with a button that reloads. */
  fallback?: ReactNode
}

/** Keeps everything around it working when `children` fail to render. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { error: unknown }> {
  override state: { error: unknown } = { error: null }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    const { children, fallback } = this.props
    if (this.state.error === null) return children
    if (fallback !== undefined) return fallback
    return <ErrorState what="This page" error={this.state.error} retry={() => location.reload()} />
  }
}
