/** The page after feedback, for readers without script: it asks for a comment. */
import type { Frame } from '../frame.js'
import type { Navigation } from '../navigation.js'
import { Surroundings } from './page.js'

export interface ThanksModel {
  /** The address of the form. */
  action: string
  page: { path: string; href: string; title: string }
  /** The entry to which a comment can be added. */
  entry: string | undefined
  navigation: Navigation
}

export const ThanksLayout = ({ frame, model }: { frame: Frame; model: ThanksModel }) => {
  const { feedback } = frame.words
  const { action, page, entry, navigation } = model
  return (
    <Surroundings frame={frame} navigation={navigation} variants={[]}>
      <main id="ui~main">
        <div class="head">
          <h1>{feedback.thanks}</h1>
        </div>
        {entry === undefined ? null : (
          <form class="ending" method="post" action={action}>
            <input type="hidden" name="page" value={page.path} />
            <input type="hidden" name="entry" value={entry} />
            <label>
              {feedback.ask}
              <textarea name="comment" maxlength={2000} rows={3} required />
            </label>
            <button type="submit" class="btn">
              {feedback.send}
            </button>
          </form>
        )}
        <p>
          <a href={page.href}>{page.title}</a>
        </p>
      </main>
    </Surroundings>
  )
}
