/** Writes the mail about a connection that fails or works again. */
import { connections, spaces, users } from '../../model/index.js'
import type { App } from '../context/app.js'
import { spaceRole } from '../roles/access.js'
import { type MailOrder, oneLine, type WrittenMail } from './mails.js'

/** Writes the mail. Null if the connection or the space is gone, or the user may no longer see the space. */
export async function writeNotice(
  app: App,
  { connection: id, user: to, what, message }: MailOrder & { mail: 'connection' },
): Promise<WrittenMail | null> {
  const connection = await app.store.get(connections, id)
  const space = connection && (await app.store.get(spaces, connection.space))
  const user = await app.store.get(users, to)
  if (!space || !user || (await spaceRole(app.store, to, space)) === null) return null
  const title = oneLine(space.title || 'Untitled space')
  const place = `${connection.url} (${connection.ref.replace(/^refs\/heads\//, '')})`
  const subject =
    what === 'failed'
      ? `${title}: the connection to its repository failed`
      : `${title}: the connection to its repository works again`
  const text =
    what === 'failed'
      ? [
          `The space "${title}" is no longer synchronized with ${place}:`,
          '',
          message,
          '',
          'You get another mail when it works again.',
        ]
      : [`The space "${title}" is synchronized with ${place} again.`]
  return {
    to: user.email,
    subject,
    text: [...text, '', `${app.settings.publicUrl}/v1/spaces/${space.id}/git/connections/${id}`, ''].join('\n'),
  }
}
