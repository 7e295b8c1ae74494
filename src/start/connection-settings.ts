/** The settings of connections to remote repositories. */
import { integer } from './setting-values.js'
import { setting } from './setting.js'

export const connectionSettings = {
  scratchBytes: setting<number>(
    'SCRATCH_BYTES',
    integer(1024 * 1024, 1024 ** 4),
    String(4 * 1024 ** 3),
    'Size of the scratch repositories in the folder `.remotes` of the repositories, in bytes, from which those that were not used for the longest time are deleted. They can be made anew at any time.',
  ),
  connectionPollSeconds: setting<number>(
    'CONNECTION_POLL_SECONDS',
    integer(0, 86_400),
    '300',
    'How often the repository of a connection is asked for its branches, in seconds; 0 = only at the start, and when a webhook says so. Less often while it fails.',
  ),
  connectionQuietSeconds: setting<number>(
    'CONNECTION_QUIET_SECONDS',
    integer(0, 3_600),
    '10',
    'How long the main content of a space must be left alone before a connection exports it, in seconds; while people keep on changing it, six times as long.',
  ),
}
