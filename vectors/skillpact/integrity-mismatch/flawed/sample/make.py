print('made')
# changed
