/** Whether the services of this run have all they know in PostgreSQL: `STORE=postgres npm test`. */
export const onPostgres = process.env.STORE === 'postgres'
