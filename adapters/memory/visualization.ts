import { type Visualization, VisualizationError } from '../../runtime/ports/visualization.ts'

/** For hosts without threads. */
export const noVisualization: Visualization = {
  available: async () => false,
  async project() {
    throw new VisualizationError('This host draws no maps of memory; the Node host does')
  },
}
