/** The settings of connections to remote repositories. */
import { integer } from './setting-values.js'
import { setting } from './setting.js'

export const connectionSettings = {
  scratchBytes: setting<number>(
    'SCRATCH_BYTES',
    integer(1024 * 1024, 1024 ** 4),
    String(4 * 1024 ** 3),
    'Size of the scratch repositories in `.remotes` of the repository folder, in bytes. Above it, the least recently used ones are deleted. They can be ' +
      'rebuilt at any time.',
  ),
  connectionPollSeconds: setting<number>(
    'CONNECTION_POLL_SECONDS',
    integer(0, 86_400),
    '300',
    'Interval in seconds at which a connection polls the branches of its repository; 0 = only at the start and on webhooks. The interval grows while polls fail.',
  ),
  connectionQuietSeconds: setting<number>(
    'CONNECTION_QUIET_SECONDS',
    integer(0, 3_600),
    '10',
    'Quiet time in seconds after a change of the main content before a connection exports it. If changes continue, the export starts after six times as long.',
  ),
}
