/** The zone of the service itself: of its reports by day, and of times that name no zone. */
export const HOME_ZONE = 'Asia/Tehran';
