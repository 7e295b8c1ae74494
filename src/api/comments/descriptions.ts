/** What the endpoints of comments say of themselves, in both places where comments stand. */
export const about = {
  target:
    'On all of it, on a page (`page`, an ID), on a node of the page (`node`, its key in the `document` format) or on a cell of a table (`tableCell`, by the IDs of ' +
    'its record and its column). What is not in the content as it is now is 400.',
  page:
    '`target.page` is the page as it is now, followed by its ID through moves, renames and merges. Its `outdated` is true when its text differs from the one that was commented on; ' +
    'with a node or a cell, only when nothing in the page says the same any more: their IDs follow what they say. Of a page that is gone (`deleted`) title and path are what they were.',
  update:
    'The body is edited by its author alone (`editedAt` tells). `resolved` is set by its author, and by who has the role edit; a comment that is resolved already keeps who resolved ' +
    'it and when. All or nothing: 403 where one of these is not yours to do.',
  reactions: 'Everybody who may comment may react, once with each emoji, and takes back his own reactions only. 409 above 50 different emoji.',
} as const

/** Bytes of a comment or reply on the way in: block trees say the same with more words than markdown. */
export const BODY_LIMIT_BYTES = 256 * 1024
