print('made')
