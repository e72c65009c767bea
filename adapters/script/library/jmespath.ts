import jmespath from 'jmespath'
import { define } from './host.ts'

define('jmespath', jmespath)
